/* SPDX-License-Identifier: Apache-2.0
 *
 * A toy MoE layer that tells moescope what it does: two ranks in one process, one thread each, three steps. The work is
 * waiting; what matters is where the calls stand.
 */
#include <moescope/annotate.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum {
  kRanks = 2,
  kSteps = 3,
  kLayers = 2,
  kExperts = 4,
  kHidden = 1024,
  kIntermediate = 512,
  kTokens = 64,
  kTopK = 2
};

static void work_us(long us) {
  struct timespec pause = {0, us * 1000};
  nanosleep(&pause, NULL);
}

/* 64 tokens choose 2 of 4 experts: 128 pairs, unevenly. */
static const int64_t kLoad[kExperts] = {56, 40, 24, 8};

static void layer(int rank, int layer_number) {
  const int64_t pairs = kTokens * kTopK;
  const int64_t remote = pairs / kRanks;                   /* half of the experts live on the other rank */
  const double pair_flops = 6.0 * kHidden * kIntermediate; /* gate, up and down projection, multiply-add = 2 */
  int64_t bytes_to[kRanks];
  moescope_router_load_t load = MOESCOPE_ROUTER_LOAD_INIT;
  moescope_peer_traffic_t traffic = MOESCOPE_PEER_TRAFFIC_INIT;

  moescope_layer(layer_number);
  moescope_begin(MOESCOPE_STAGE_ROUTER, NULL);
  work_us(100);
  moescope_end(-1, -1.0);
  load.side = MOESCOPE_SIDE_SENT;
  load.experts = kExperts;
  load.assigned = kLoad;
  moescope_router_load(&load);

  moescope_begin(MOESCOPE_STAGE_DISPATCH, NULL);
  work_us(300);
  moescope_end(remote * kHidden, -1.0); /* FP8: one byte an element; only what crosses the link counts */
  bytes_to[rank] = (pairs - remote) * kHidden;
  bytes_to[1 - rank] = remote * kHidden;
  traffic.peers = kRanks;
  traffic.bytes_to = bytes_to;
  moescope_peer_traffic(&traffic);

  moescope_begin(MOESCOPE_STAGE_L1, NULL);
  work_us(400);
  moescope_end(-1, (double)pairs * pair_flops * 2 / 3);
  moescope_begin(MOESCOPE_STAGE_ACT, NULL);
  work_us(50);
  moescope_end(-1, -1.0);
  moescope_begin(MOESCOPE_STAGE_L2, NULL);
  work_us(200);
  moescope_end(-1, (double)pairs * pair_flops / 3);

  moescope_begin(MOESCOPE_STAGE_COMBINE, NULL);
  work_us(500);
  moescope_end(remote * kHidden * 2, -1.0); /* BF16: two */
}

static void* run_rank(void* argument) {
  const int rank = (int)(intptr_t)argument;
  int step, l;
  moescope_rank(rank, kRanks, "layer", MOESCOPE_TRACK_EXECUTION); /* these spans are the work itself */
  for (step = 0; step < kSteps; ++step) {
    moescope_step_begin(step, MOESCOPE_STEP_TRAIN);
    moescope_pass(MOESCOPE_PASS_FORWARD);
    for (l = 0; l < kLayers; ++l) layer(rank, l);
    moescope_step_end();
  }
  return NULL;
}

int main(void) {
  pthread_t threads[kRanks];
  moescope_model_t model = MOESCOPE_MODEL_INIT;
  int rank;
  model.name = "toy";
  model.hidden = kHidden;
  model.intermediate = kIntermediate;
  model.experts = kExperts;
  model.top_k = kTopK;
  model.layers = kLayers;
  model.gated = 1;
  model.dispatch_bytes_per_element = 1;
  model.combine_bytes_per_element = 2;
  model.synthetic_routing = 1;
  moescope_model(&model);
  for (rank = 0; rank < kRanks; ++rank) pthread_create(&threads[rank], NULL, run_rank, (void*)(intptr_t)rank);
  for (rank = 0; rank < kRanks; ++rank) pthread_join(threads[rank], NULL);
  printf("%d ranks, %d steps; %s\n", kRanks, kSteps, moescope_recording() ? "recorded" : "nobody recorded it");
  return 0;
}
