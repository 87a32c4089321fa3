#pragma once
// SPDX-License-Identifier: Apache-2.0
// The stage vocabulary for C++: the frozen C enums of moescope/stage.h as scoped enums, sets of stages, and the one
// rule that says whether a piece of GPU work is communication, compute or a copy.

#include <cstdint>
#include <optional>
#include <string_view>

#include "moescope/stage.h"

namespace moescope {

#define MOESCOPE_CPP_VALUE(n, id, name) k##id = (n),
enum class Stage : std::uint8_t { MOESCOPE_STAGES(MOESCOPE_CPP_VALUE) };
enum class Pass : std::uint8_t { MOESCOPE_PASSES(MOESCOPE_CPP_VALUE) };
enum class Part : std::uint8_t { MOESCOPE_PARTS(MOESCOPE_CPP_VALUE) };
enum class StepKind : std::uint8_t { MOESCOPE_STEP_KINDS(MOESCOPE_CPP_VALUE) };
enum class TrackKind : std::uint8_t { MOESCOPE_TRACK_KINDS(MOESCOPE_CPP_VALUE) };
enum class SpanKind : std::uint8_t { MOESCOPE_SPAN_KINDS(MOESCOPE_CPP_VALUE) };
enum class Source : std::uint8_t { MOESCOPE_SOURCES(MOESCOPE_CPP_VALUE) };
enum class CopyKind : std::uint8_t { MOESCOPE_COPY_KINDS(MOESCOPE_CPP_VALUE) };
enum class LinkKind : std::uint8_t { MOESCOPE_LINK_KINDS(MOESCOPE_CPP_VALUE) };
enum class ClockKind : std::uint8_t { MOESCOPE_CLOCK_KINDS(MOESCOPE_CPP_VALUE) };
enum class GroupKind : std::uint8_t { MOESCOPE_GROUP_KINDS(MOESCOPE_CPP_VALUE) };
enum class Side : std::uint8_t { MOESCOPE_SIDES(MOESCOPE_CPP_VALUE) };
#undef MOESCOPE_CPP_VALUE

inline constexpr int kStageCount = MOESCOPE_STAGE_COUNT;

std::string_view name(Stage stage);
std::string_view name(Pass pass);
std::string_view name(Part part);
std::string_view name(StepKind kind);
std::string_view name(TrackKind kind);
std::string_view name(SpanKind kind);
std::string_view name(Source source);
std::string_view name(LinkKind kind);
std::string_view name(ClockKind kind);
std::optional<Stage> stage_from_name(std::string_view text);
std::optional<Pass> pass_from_name(std::string_view text);

// A set of stages: a fused kernel covers several.
class StageSet {
 public:
  constexpr StageSet() = default;
  constexpr StageSet(Stage stage) : bits_(1u << static_cast<unsigned>(stage)) {}  // NOLINT: implicit by design
  constexpr StageSet operator|(StageSet other) const { return StageSet(bits_ | other.bits_, 0); }
  constexpr bool contains(Stage stage) const { return (bits_ >> static_cast<unsigned>(stage)) & 1u; }
  constexpr bool intersects(StageSet other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool single() const { return bits_ != 0 && (bits_ & (bits_ - 1)) == 0; }
  constexpr std::uint32_t bits() const { return bits_; }
  friend constexpr bool operator==(StageSet, StageSet) = default;

 private:
  constexpr StageSet(std::uint32_t bits, int) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

inline constexpr StageSet kCommunicationStages = StageSet(Stage::kDISPATCH) | Stage::kCOMBINE | Stage::kALLREDUCE |
                                                 Stage::kREDUCESCATTER | Stage::kALLGATHER | Stage::kALLTOALL |
                                                 Stage::kSENDRECV | Stage::kBROADCAST | Stage::kCOLLECTIVE;
inline constexpr StageSet kMoeStages = StageSet(Stage::kROUTER) | Stage::kPERMUTE | Stage::kDISPATCH | Stage::kL1 |
                                       Stage::kACT | Stage::kL2 | Stage::kCOMBINE | Stage::kUNPERMUTE |
                                       Stage::kSHARED_EXPERT;

// kNone: not work on a device (host ranges, runtime calls, waits). kUnknown: work whose content was not recorded, such
// as a whole graph launch; the device is busy then, with what is not known.
enum class ActivityClass : std::uint8_t { kNone, kCompute, kCommunication, kCopy, kUnknown };
ActivityClass activity_class(Stage stage, SpanKind kind, CopyKind copy);
// The part of communication that moves no payload.
constexpr bool is_control(Part part) {
  return part == Part::kSYNC || part == Part::kMETA;
}

}  // namespace moescope
