/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of the trade, as C enums: stages of a Mixture-of-Experts layer, passes, parts, kinds. The values are frozen
 * (run files store them); new ones are added at the end. The names are the same in SQL, JSON, the CLI and the GUI.
 */
#ifndef MOESCOPE_STAGE_H
#define MOESCOPE_STAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(number, CONSTANT, name). What a piece of work physically does. Its *role* in the layer uses the same words and can
 * differ in the backward pass: dispatch's backward runs the combine kernel. */
#define MOESCOPE_STAGES(X)                 \
  X(0, UNATTRIBUTED, "unattributed")       \
  X(1, ROUTER, "router")                   \
  X(2, PERMUTE, "permute")                 \
  X(3, DISPATCH, "dispatch")               \
  X(4, L1, "l1")                           \
  X(5, ACT, "act")                         \
  X(6, L2, "l2")                           \
  X(7, COMBINE, "combine")                 \
  X(8, UNPERMUTE, "unpermute")             \
  X(9, SHARED_EXPERT, "shared_expert")     \
  X(10, ATTENTION, "attention")            \
  X(11, ALLREDUCE, "allreduce")            \
  X(12, REDUCESCATTER, "reducescatter")    \
  X(13, ALLGATHER, "allgather")            \
  X(14, ALLTOALL, "alltoall")              \
  X(15, SENDRECV, "sendrecv")              \
  X(16, BROADCAST, "broadcast")            \
  X(17, COLLECTIVE, "collective")          \
  X(18, MEMCPY, "memcpy")                  \
  X(19, OTHER, "other")

#define MOESCOPE_PASSES(X)                    \
  X(0, UNKNOWN, "unknown")                    \
  X(1, FORWARD, "forward")                    \
  X(2, BACKWARD, "backward")                  \
  X(3, BACKWARD_INPUT, "backward_input")      \
  X(4, BACKWARD_WEIGHT, "backward_weight")    \
  X(5, RECOMPUTE, "recompute")

/* Which part of its stage a span is. sync (waiting, barriers, notify) and meta (counts, layout) move no payload: they are
 * the "control" share of communication. */
#define MOESCOPE_PARTS(X)       \
  X(0, PAYLOAD, "payload")      \
  X(1, SYNC, "sync")            \
  X(2, META, "meta")            \
  X(3, EPILOGUE, "epilogue")

#define MOESCOPE_STEP_KINDS(X) \
  X(0, UNKNOWN, "unknown")     \
  X(1, TRAIN, "train")         \
  X(2, PREFILL, "prefill")     \
  X(3, DECODE, "decode")       \
  X(4, MIXED, "mixed")

/* What a lane of spans is. On an execution lane and on a GPU stream a span *is* the work; on a host thread it is a range
 * around calls that may start work elsewhere. */
#define MOESCOPE_TRACK_KINDS(X)      \
  X(0, HOST_THREAD, "host_thread")   \
  X(1, EXECUTION, "execution")       \
  X(2, GPU_STREAM, "gpu_stream")

/* What one span is. graph: a launch of a whole CUDA graph that was recorded as one piece, its content unknown. */
#define MOESCOPE_SPAN_KINDS(X)     \
  X(0, RANGE, "range")             \
  X(1, WORK, "work")               \
  X(2, KERNEL, "kernel")           \
  X(3, COPY, "copy")               \
  X(4, MEMSET, "memset")           \
  X(5, RUNTIME, "runtime")         \
  X(6, SYNCHRONIZATION, "synchronization") \
  X(7, WAIT, "wait")         \
  X(8, GRAPH, "graph")

/* Who said it. */
#define MOESCOPE_SOURCES(X)        \
  X(0, ANNOTATION, "annotation")   \
  X(1, NVTX, "nvtx")               \
  X(2, CUPTI, "cupti")             \
  X(3, NCCL, "nccl")               \
  X(4, DEVICE_TRACE, "device_trace") \
  X(5, KINETO, "kineto")           \
  X(6, NSYS, "nsys")

#define MOESCOPE_COPY_KINDS(X) \
  X(0, NONE, "none")           \
  X(1, H2D, "h2d")             \
  X(2, D2H, "d2h")             \
  X(3, D2D, "d2d")             \
  X(4, P2P, "p2p")             \
  X(5, H2H, "h2h")

#define MOESCOPE_LINK_KINDS(X)      \
  X(0, UNKNOWN, "unknown")          \
  X(1, MEMORY, "memory")            \
  X(2, NVLINK, "nvlink")            \
  X(3, PCIE, "pcie")                \
  X(4, INFINIBAND, "infiniband")    \
  X(5, ETHERNET, "ethernet")        \
  X(6, EMULATED, "emulated")

#define MOESCOPE_CLOCK_KINDS(X)  \
  X(0, MONOTONIC, "monotonic")   \
  X(1, REALTIME, "realtime")     \
  X(2, VIRTUAL, "virtual")       \
  X(3, DEVICE, "device")         \
  X(4, PACED, "paced")

#define MOESCOPE_GROUP_KINDS(X) \
  X(0, EP, "ep")                \
  X(1, TP, "tp")                \
  X(2, DP, "dp")                \
  X(3, PP, "pp")                \
  X(4, CP, "cp")                \
  X(5, UNKNOWN, "unknown")

#define MOESCOPE_SIDES(X) \
  X(0, SENT, "sent")      \
  X(1, RECEIVED, "received")

#define MOESCOPE_ENUM_STAGE(n, id, name) MOESCOPE_STAGE_##id = (n),
#define MOESCOPE_ENUM_PASS(n, id, name) MOESCOPE_PASS_##id = (n),
#define MOESCOPE_ENUM_PART(n, id, name) MOESCOPE_PART_##id = (n),
#define MOESCOPE_ENUM_STEP(n, id, name) MOESCOPE_STEP_##id = (n),
#define MOESCOPE_ENUM_TRACK(n, id, name) MOESCOPE_TRACK_##id = (n),
#define MOESCOPE_ENUM_SPAN(n, id, name) MOESCOPE_SPAN_##id = (n),
#define MOESCOPE_ENUM_SOURCE(n, id, name) MOESCOPE_SOURCE_##id = (n),
#define MOESCOPE_ENUM_COPY(n, id, name) MOESCOPE_COPY_##id = (n),
#define MOESCOPE_ENUM_LINK(n, id, name) MOESCOPE_LINK_##id = (n),
#define MOESCOPE_ENUM_CLOCK(n, id, name) MOESCOPE_CLOCK_##id = (n),
#define MOESCOPE_ENUM_GROUP(n, id, name) MOESCOPE_GROUP_##id = (n),
#define MOESCOPE_ENUM_SIDE(n, id, name) MOESCOPE_SIDE_##id = (n),

enum moescope_stage { MOESCOPE_STAGES(MOESCOPE_ENUM_STAGE) MOESCOPE_STAGE_COUNT };
enum moescope_pass { MOESCOPE_PASSES(MOESCOPE_ENUM_PASS) MOESCOPE_PASS_COUNT };
enum moescope_part { MOESCOPE_PARTS(MOESCOPE_ENUM_PART) MOESCOPE_PART_COUNT };
enum moescope_step_kind { MOESCOPE_STEP_KINDS(MOESCOPE_ENUM_STEP) MOESCOPE_STEP_KIND_COUNT };
enum moescope_track_kind { MOESCOPE_TRACK_KINDS(MOESCOPE_ENUM_TRACK) MOESCOPE_TRACK_KIND_COUNT };
enum moescope_span_kind { MOESCOPE_SPAN_KINDS(MOESCOPE_ENUM_SPAN) MOESCOPE_SPAN_KIND_COUNT };
enum moescope_source { MOESCOPE_SOURCES(MOESCOPE_ENUM_SOURCE) MOESCOPE_SOURCE_COUNT };
enum moescope_copy_kind { MOESCOPE_COPY_KINDS(MOESCOPE_ENUM_COPY) MOESCOPE_COPY_KIND_COUNT };
enum moescope_link_kind { MOESCOPE_LINK_KINDS(MOESCOPE_ENUM_LINK) MOESCOPE_LINK_KIND_COUNT };
enum moescope_clock_kind { MOESCOPE_CLOCK_KINDS(MOESCOPE_ENUM_CLOCK) MOESCOPE_CLOCK_KIND_COUNT };
enum moescope_group_kind { MOESCOPE_GROUP_KINDS(MOESCOPE_ENUM_GROUP) MOESCOPE_GROUP_KIND_COUNT };
enum moescope_side { MOESCOPE_SIDES(MOESCOPE_ENUM_SIDE) MOESCOPE_SIDE_COUNT };

#define MOESCOPE_ENUM_NAME(n, id, name) name,
#define MOESCOPE_NAME_FUNCTION(function, LIST, count)           \
  static inline const char* function(int value) {               \
    static const char* const names[] = {LIST(MOESCOPE_ENUM_NAME)}; \
    return value >= 0 && value < (int)(count) ? names[value] : "?"; \
  }
/* The name of a value, or "?" for a value this header does not know. */
MOESCOPE_NAME_FUNCTION(moescope_stage_name, MOESCOPE_STAGES, MOESCOPE_STAGE_COUNT)
MOESCOPE_NAME_FUNCTION(moescope_pass_name, MOESCOPE_PASSES, MOESCOPE_PASS_COUNT)
MOESCOPE_NAME_FUNCTION(moescope_part_name, MOESCOPE_PARTS, MOESCOPE_PART_COUNT)
MOESCOPE_NAME_FUNCTION(moescope_step_kind_name, MOESCOPE_STEP_KINDS, MOESCOPE_STEP_KIND_COUNT)
MOESCOPE_NAME_FUNCTION(moescope_track_kind_name, MOESCOPE_TRACK_KINDS, MOESCOPE_TRACK_KIND_COUNT)
MOESCOPE_NAME_FUNCTION(moescope_span_kind_name, MOESCOPE_SPAN_KINDS, MOESCOPE_SPAN_KIND_COUNT)
MOESCOPE_NAME_FUNCTION(moescope_source_name, MOESCOPE_SOURCES, MOESCOPE_SOURCE_COUNT)
MOESCOPE_NAME_FUNCTION(moescope_copy_kind_name, MOESCOPE_COPY_KINDS, MOESCOPE_COPY_KIND_COUNT)
MOESCOPE_NAME_FUNCTION(moescope_link_kind_name, MOESCOPE_LINK_KINDS, MOESCOPE_LINK_KIND_COUNT)
MOESCOPE_NAME_FUNCTION(moescope_clock_kind_name, MOESCOPE_CLOCK_KINDS, MOESCOPE_CLOCK_KIND_COUNT)
MOESCOPE_NAME_FUNCTION(moescope_group_kind_name, MOESCOPE_GROUP_KINDS, MOESCOPE_GROUP_KIND_COUNT)
MOESCOPE_NAME_FUNCTION(moescope_side_name, MOESCOPE_SIDES, MOESCOPE_SIDE_COUNT)

#ifdef __cplusplus
}
#endif
#endif /* MOESCOPE_STAGE_H */
