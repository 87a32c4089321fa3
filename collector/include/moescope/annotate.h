/* SPDX-License-Identifier: Apache-2.0
 *
 * Tell moescope what your job is doing: ranks, steps, layers, stages, waves, bytes, FLOPs, tokens per expert. C99, header
 * only, and inert unless the collector is in the process: an annotation then costs one or two nanoseconds.
 *
 *   moescope_rank(rank, world_size, NULL, MOESCOPE_TRACK_HOST_THREAD);   once a thread
 *   moescope_step_begin(step, MOESCOPE_STEP_TRAIN);
 *   moescope_layer(layer); moescope_pass(MOESCOPE_PASS_FORWARD);
 *   moescope_begin(MOESCOPE_STAGE_DISPATCH, "dispatch");  ...  moescope_end(bytes, 0);
 *   moescope_step_end();
 *
 * Every call may come from any thread at any time, never blocks on I/O, never fails visibly. Numbers that aren't known are
 * -1. Times are nanoseconds, bytes are bytes that crossed a link (wire) unless said otherwise, a multiply-add is 2 FLOPs.
 * Structs begin with {size, abi} and only ever grow at the end; set them up with the *_INIT macros.
 */
#ifndef MOESCOPE_ANNOTATE_H
#define MOESCOPE_ANNOTATE_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "moescope/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MOESCOPE_ABI 1u

/* One span with explicit times: work measured elsewhere, or on a clock of the job's own (see moescope_clock). Fields left
 * at -1 are taken from the calling thread's current rank, step, layer, micro-batch and pass. */
typedef struct moescope_span_s {
  uint32_t size, abi;
  uint32_t clock;      /* from moescope_clock(), or 0: CLOCK_MONOTONIC */
  int64_t start_ns, end_ns;
  const char* name;    /* copied; NULL: the stage's name */
  const char* lane;    /* the lane of that rank it lies on ("compute", "link"); NULL: the calling thread's */
  int32_t lane_kind;   /* enum moescope_track_kind */
  int32_t kind;        /* enum moescope_span_kind */
  int32_t stage, role; /* enum moescope_stage; role -1: as stage */
  int32_t part;        /* enum moescope_part */
  int32_t rank, pass, step, layer, micro_batch, wave, chunk; /* step: the user's number */
  int64_t bytes;       /* on the wire */
  double flops;
} moescope_span_t;
#define MOESCOPE_SPAN_INIT                                                                                     \
  { (uint32_t)sizeof(moescope_span_t), MOESCOPE_ABI, 0, 0, 0, NULL, NULL, MOESCOPE_TRACK_EXECUTION,            \
    MOESCOPE_SPAN_WORK, MOESCOPE_STAGE_UNATTRIBUTED, -1, MOESCOPE_PART_PAYLOAD, -1, -1, -1, -1, -1, -1, -1, -1, -1.0 }

/* Tokens per expert, one array entry an expert from first_expert on. sent: by this rank's tokens; received: to be computed
 * here. kept NULL: nothing was dropped. */
typedef struct moescope_router_load_s {
  uint32_t size, abi;
  int32_t rank, step, layer, micro_batch; /* -1: the calling thread's */
  int32_t side;                           /* enum moescope_side */
  int32_t first_expert, experts;
  const int64_t* assigned;
  const int64_t* kept;
} moescope_router_load_t;
#define MOESCOPE_ROUTER_LOAD_INIT \
  { (uint32_t)sizeof(moescope_router_load_t), MOESCOPE_ABI, -1, -1, -1, -1, MOESCOPE_SIDE_RECEIVED, 0, 0, NULL, NULL }

/* Bytes this rank sent to each peer (index = rank) in one stage instance, as they crossed the wire; the entry of the rank
 * itself is what stayed local. */
typedef struct moescope_peer_traffic_s {
  uint32_t size, abi;
  int32_t rank, step, layer, micro_batch, wave; /* -1: the calling thread's (wave: none) */
  int32_t stage, pass;                          /* enums; pass -1: the calling thread's */
  int32_t peers;
  const int64_t* bytes_to;
} moescope_peer_traffic_t;
#define MOESCOPE_PEER_TRAFFIC_INIT \
  { (uint32_t)sizeof(moescope_peer_traffic_t), MOESCOPE_ABI, -1, -1, -1, -1, -1, MOESCOPE_STAGE_DISPATCH, -1, 0, NULL }

/* The model's shape and wire formats: without them the bound is abstained. Bytes per element include scale factors. */
typedef struct moescope_model_s {
  uint32_t size, abi;
  const char* name;
  int32_t hidden, intermediate, experts, top_k, layers, shared_experts; /* intermediate: one expert's width d */
  int32_t gated;                                                        /* 1: gate and up projections (SwiGLU), 0: not */
  double dispatch_bytes_per_element, combine_bytes_per_element, weight_bytes_per_element;
  int32_t synthetic_routing; /* 1: routing is forced or made up: say nothing about imbalance from it */
} moescope_model_t;
#define MOESCOPE_MODEL_INIT \
  { (uint32_t)sizeof(moescope_model_t), MOESCOPE_ABI, NULL, -1, -1, -1, -1, -1, -1, -1, -1.0, -1.0, -1.0, -1 }

/* What a rank runs on: peak rates for the bound. link_gb_s is 1e9 bytes/s, one direction. */
typedef struct moescope_device_s {
  uint32_t size, abi;
  int32_t rank, device, node;
  const char* name;
  double peak_flops, link_gb_s; /* FLOP/s; -1: unknown */
  int32_t link_kind;            /* enum moescope_link_kind */
} moescope_device_t;
#define MOESCOPE_DEVICE_INIT \
  { (uint32_t)sizeof(moescope_device_t), MOESCOPE_ABI, -1, 0, -1, NULL, -1.0, -1.0, MOESCOPE_LINK_UNKNOWN }

/* The table the collector hands out; new entries only at its end, so test size before calling a later one. */
typedef struct moescope_api_table_s {
  uint32_t size, abi;
  int64_t (*now_ns)(void);
  uint32_t (*clock)(const char* name, int kind);
  void (*rank)(int rank, int world_size, const char* lane, int lane_kind);
  void (*step_begin)(int64_t number, int step_kind);
  void (*step_end)(void);
  void (*layer)(int layer);
  void (*micro_batch)(int micro_batch);
  void (*pass)(int pass);
  void (*begin)(int stage, const char* name, int wave);
  void (*end)(int64_t bytes, double flops);
  void (*span)(const moescope_span_t* span);
  void (*router_load)(const moescope_router_load_t* load);
  void (*peer_traffic)(const moescope_peer_traffic_t* traffic);
  void (*model)(const moescope_model_t* model);
  void (*device)(const moescope_device_t* device);
  void (*comm_group)(int kind, const char* name, int size, const int32_t* ranks);
  void (*expert_placement)(int64_t valid_from_step, int layer, int physical, int logical, int rank);
  void (*counter)(const char* link, int link_kind, int rank, int64_t tx_bytes, int64_t rx_bytes);
  void (*step_window)(int rank, int64_t number, int step_kind, uint32_t clock, int64_t start_ns, int64_t end_ns);
} moescope_api_table_t;

/* The one exported symbol of the collector: the table, or NULL where that ABI isn't spoken or recording is off. */
typedef const moescope_api_table_t* (*moescope_api_fn)(uint32_t abi);

/* Finds the collector. It may be loaded late, so a miss is tried again at call 2, 4, 8, ... of each translation unit; a
 * hit is kept. Threads that come while the first look is under way look for themselves: none of their calls is lost.
 * Costs one load and one compare once found, a load, a store and a test more while not. */
static inline const moescope_api_table_t* moescope_api_get(void) {
  static const moescope_api_table_t* table;
  static uint32_t misses; /* looks that found nothing, and calls that did not look */
  const moescope_api_table_t* found = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
  if (found != NULL) return found;
  uint32_t miss = __atomic_load_n(&misses, __ATOMIC_RELAXED);
  if (miss != 0u) {
    __atomic_store_n(&misses, miss + 1u, __ATOMIC_RELAXED); /* racing threads may count one for two: no matter */
    if ((miss & (miss + 1u)) != 0u) return NULL; /* only 1, 3, 7, ... look */
  }
  union { void* object; moescope_api_fn function; } symbol;
  symbol.object = dlsym(NULL /* RTLD_DEFAULT */, "moescope_api");
  found = symbol.object != NULL ? symbol.function(MOESCOPE_ABI) : NULL;
  if (found != NULL) __atomic_store_n(&table, found, __ATOMIC_RELEASE);
  if (found == NULL && miss == 0u) __atomic_store_n(&misses, 1u, __ATOMIC_RELAXED);
  return found;
}

#define MOESCOPE_CALL_(call)                                   \
  do {                                                         \
    const moescope_api_table_t* moescope_t_ = moescope_api_get(); \
    if (moescope_t_ != NULL) moescope_t_->call;                \
  } while (0)

/* 1 where a collector records this process. Use it to skip work that only serves the annotation. */
static inline int moescope_recording(void) { return moescope_api_get() != NULL; }
/* The collector's clock 0, CLOCK_MONOTONIC in ns; 0 without a collector. */
static inline int64_t moescope_now_ns(void) {
  const moescope_api_table_t* t = moescope_api_get();
  return t != NULL ? t->now_ns() : 0;
}
/* A clock of the job's own, for explicit spans: discrete-event time, a device's timer. 0 (monotonic) without a collector. */
static inline uint32_t moescope_clock(const char* name, int kind) {
  const moescope_api_table_t* t = moescope_api_get();
  return t != NULL ? t->clock(name, kind) : 0u;
}
/* This thread works for that rank from now on; several ranks may live in one process. lane names the thread's lane (NULL:
 * the thread's name), lane_kind says whether its spans are the work itself or host ranges around it. */
static inline void moescope_rank(int rank, int world_size, const char* lane, int lane_kind) {
  MOESCOPE_CALL_(rank(rank, world_size, lane, lane_kind));
}
static inline void moescope_step_begin(int64_t number, int step_kind) { MOESCOPE_CALL_(step_begin(number, step_kind)); }
static inline void moescope_step_end(void) { MOESCOPE_CALL_(step_end()); }
/* The thread's current layer, micro-batch and pass: spans begun later carry them. -1: none. */
static inline void moescope_layer(int layer) { MOESCOPE_CALL_(layer(layer)); }
static inline void moescope_micro_batch(int micro_batch) { MOESCOPE_CALL_(micro_batch(micro_batch)); }
static inline void moescope_pass(int pass) { MOESCOPE_CALL_(pass(pass)); }
/* A stage on this thread; nests, and ends in reverse order. name NULL: the stage's name. wave -1: none. */
static inline void moescope_begin_wave(int stage, const char* name, int wave) { MOESCOPE_CALL_(begin(stage, name, wave)); }
static inline void moescope_begin(int stage, const char* name) { MOESCOPE_CALL_(begin(stage, name, -1)); }
static inline void moescope_end(int64_t bytes, double flops) { MOESCOPE_CALL_(end(bytes, flops)); }
static inline void moescope_span(const moescope_span_t* span) { MOESCOPE_CALL_(span(span)); }
/* The bounds of one step of one rank on a given clock, for jobs that use explicit spans. */
static inline void moescope_step_window(int rank, int64_t number, int step_kind, uint32_t clock, int64_t start_ns,
                                        int64_t end_ns) {
  MOESCOPE_CALL_(step_window(rank, number, step_kind, clock, start_ns, end_ns));
}
static inline void moescope_router_load(const moescope_router_load_t* load) { MOESCOPE_CALL_(router_load(load)); }
static inline void moescope_peer_traffic(const moescope_peer_traffic_t* traffic) { MOESCOPE_CALL_(peer_traffic(traffic)); }
static inline void moescope_model(const moescope_model_t* model) { MOESCOPE_CALL_(model(model)); }
static inline void moescope_device(const moescope_device_t* device) { MOESCOPE_CALL_(device(device)); }
static inline void moescope_comm_group(int kind, const char* name, int size, const int32_t* ranks) {
  MOESCOPE_CALL_(comm_group(kind, name, size, ranks));
}
static inline void moescope_expert_placement(int64_t valid_from_step, int layer, int physical, int logical, int rank) {
  MOESCOPE_CALL_(expert_placement(valid_from_step, layer, physical, logical, rank));
}
/* A link's running totals, read now (they may wrap and reset; the analyzer copes). */
static inline void moescope_counter(const char* link, int link_kind, int rank, int64_t tx_bytes, int64_t rx_bytes) {
  MOESCOPE_CALL_(counter(link, link_kind, rank, tx_bytes, rx_bytes));
}

#ifdef __cplusplus
} /* extern "C" */

namespace moescope {

/* A stage for as long as the object lives; set bytes and flops before it ends. */
class StageRange {
 public:
  explicit StageRange(enum moescope_stage stage, const char* name = nullptr, int wave = -1) {
    moescope_begin_wave(stage, name, wave);
  }
  ~StageRange() { moescope_end(bytes, flops); }
  StageRange(const StageRange&) = delete;
  StageRange& operator=(const StageRange&) = delete;
  int64_t bytes = -1;
  double flops = -1.0;
};

/* A step for as long as the object lives. */
class StepRange {
 public:
  explicit StepRange(int64_t number, enum moescope_step_kind kind = MOESCOPE_STEP_TRAIN) { moescope_step_begin(number, kind); }
  ~StepRange() { moescope_step_end(); }
  StepRange(const StepRange&) = delete;
  StepRange& operator=(const StepRange&) = delete;
};

}  // namespace moescope
#endif
#endif /* MOESCOPE_ANNOTATE_H */
