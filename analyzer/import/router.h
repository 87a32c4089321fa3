#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tokens per expert, as routers and expert-load recorders write them, and where experts are placed. A file of these
// beside a timeline is one run with it.
//
//   JSON   {"logical_count": [steps][layers][experts] or [layers][experts]} (SGLang's recorder, exported);
//          [{"0": tokens, "1": tokens, ...}, ...], a layer each;
//          {"layer_list": [{"layer_id", "device_list": [{"device_id", "device_expert": [...]}]}]}: a placement
//   JSONL  {"iter"|"step", "layer", "tpe"|"tokens_per_expert": [...]}; {"layer", "top_indices": [[...]]} (Megatron);
//          {"layer", "topk": [...]}, a token each
//   CSV    a header of step, layer, micro_batch, rank, expert, tokens (or assigned, kept): any order, some may miss
//
//   text   "devices layers experts", then as many 0 and 1: which device holds which expert (Ascend)
//
//   NPY    numbers, [layers][experts] or [steps][layers][experts]; NPZ with one such array, or one of name
//          logical_count

#include "analyzer/import/importer.h"

namespace moescope {

Importer router_importer();

}  // namespace moescope
