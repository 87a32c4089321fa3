// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/stage.h"

namespace moescope {

std::string_view name(Stage stage) {
  return moescope_stage_name(static_cast<int>(stage));
}
std::string_view name(Pass pass) {
  return moescope_pass_name(static_cast<int>(pass));
}
std::string_view name(Part part) {
  return moescope_part_name(static_cast<int>(part));
}
std::string_view name(StepKind kind) {
  return moescope_step_kind_name(static_cast<int>(kind));
}
std::string_view name(TrackKind kind) {
  return moescope_track_kind_name(static_cast<int>(kind));
}
std::string_view name(SpanKind kind) {
  return moescope_span_kind_name(static_cast<int>(kind));
}
std::string_view name(Source source) {
  return moescope_source_name(static_cast<int>(source));
}
std::string_view name(LinkKind kind) {
  return moescope_link_kind_name(static_cast<int>(kind));
}
std::string_view name(ClockKind kind) {
  return moescope_clock_kind_name(static_cast<int>(kind));
}

std::optional<Stage> stage_from_name(std::string_view text) {
  for (int i = 0; i < MOESCOPE_STAGE_COUNT; ++i)
    if (text == moescope_stage_name(i)) return static_cast<Stage>(i);
  return std::nullopt;
}

std::optional<Pass> pass_from_name(std::string_view text) {
  for (int i = 0; i < MOESCOPE_PASS_COUNT; ++i)
    if (text == moescope_pass_name(i)) return static_cast<Pass>(i);
  return std::nullopt;
}

ActivityClass activity_class(Stage stage, SpanKind kind, CopyKind copy) {
  switch (kind) {
    case SpanKind::kWORK:
    case SpanKind::kKERNEL:
      return kCommunicationStages.contains(stage) ? ActivityClass::kCommunication : ActivityClass::kCompute;
    case SpanKind::kCOPY:  // a copy between devices is traffic whatever engine moves it
      return copy == CopyKind::kP2P || kCommunicationStages.contains(stage) ? ActivityClass::kCommunication
                                                                            : ActivityClass::kCopy;
    case SpanKind::kMEMSET:
      return ActivityClass::kCopy;
    case SpanKind::kGRAPH:
      return ActivityClass::kUnknown;
    case SpanKind::kRANGE:
    case SpanKind::kRUNTIME:
    case SpanKind::kSYNCHRONIZATION:
    case SpanKind::kWAIT:
      return ActivityClass::kNone;
  }
  return ActivityClass::kNone;
}

}  // namespace moescope
