/* SPDX-License-Identifier: Apache-2.0
 * The public header from C99: one of everything. Exit status 0 where a collector is there, 1 where none is. */
#include <moescope/annotate.h>

int main(void) {
  int64_t load[4] = {1, 2, 3, 4}, bytes[2] = {10, 20};
  int32_t ranks[2] = {0, 1};
  uint32_t clock = moescope_clock("paced", MOESCOPE_CLOCK_PACED);
  moescope_span_t span = MOESCOPE_SPAN_INIT;
  moescope_router_load_t router = MOESCOPE_ROUTER_LOAD_INIT;
  moescope_peer_traffic_t traffic = MOESCOPE_PEER_TRAFFIC_INIT;
  moescope_model_t model = MOESCOPE_MODEL_INIT;
  moescope_device_t device = MOESCOPE_DEVICE_INIT;
  moescope_rank(1, 2, "compute", MOESCOPE_TRACK_EXECUTION);
  model.name = "c";
  moescope_model(&model);
  moescope_device(&device);
  moescope_comm_group(MOESCOPE_GROUP_EP, "ep", 2, ranks);
  moescope_expert_placement(0, -1, 0, 0, 1);
  moescope_step_begin(5, MOESCOPE_STEP_TRAIN);
  moescope_layer(2);
  moescope_micro_batch(1);
  moescope_pass(MOESCOPE_PASS_BACKWARD_INPUT);
  moescope_begin_wave(MOESCOPE_STAGE_DISPATCH, "dispatch", 3);
  moescope_end(4096, -1.0);
  span.clock = clock;
  span.start_ns = 1000000;
  span.end_ns = 1000700;
  span.stage = MOESCOPE_STAGE_COMBINE;
  moescope_span(&span);
  router.experts = 4;
  router.assigned = load;
  moescope_router_load(&router);
  traffic.peers = 2;
  traffic.bytes_to = bytes;
  moescope_peer_traffic(&traffic);
  moescope_counter("link", MOESCOPE_LINK_PCIE, -1, 1, 2);
  moescope_step_end();
  moescope_step_window(1, 6, MOESCOPE_STEP_DECODE, clock, 1000000, 2000000);
  return moescope_recording() && moescope_now_ns() > 0 ? 0 : 1;
}
