// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/group_kind.h"

#include "tests/support/catch.h"

using namespace moescope;

TEST_CASE("a group's kind by what frameworks call it") {
  CHECK(group_kind("EXPERT_MODEL_PARALLEL_GROUP") == GroupKind::kEP);
  CHECK(group_kind("TENSOR_MODEL_PARALLEL_GROUP") == GroupKind::kTP);
  CHECK(group_kind("DATA_PARALLEL_GROUP") == GroupKind::kDP);
  CHECK(group_kind("DATA_PARALLEL_GROUP_WITH_CP") == GroupKind::kDP);
  CHECK(group_kind("PIPELINE_MODEL_PARALLEL_GROUP") == GroupKind::kPP);
  CHECK(group_kind("CONTEXT_PARALLEL_GROUP") == GroupKind::kCP);
  CHECK(group_kind("EXPERT_DATA_PARALLEL_GROUP") == GroupKind::kDP);
  CHECK(group_kind("EXPERT_TENSOR_PARALLEL_GROUP") == GroupKind::kTP);
  CHECK(group_kind("mesh_ep") == GroupKind::kEP);
  CHECK(group_kind("mesh_dp_shard") == GroupKind::kDP);
  CHECK(group_kind("tp:0") == GroupKind::kTP);
}

TEST_CASE("a group of several kinds, or of none that is named, is of unknown kind") {
  for (const char* description :
       {"", "default_pg", "undefined", "MODEL_PARALLEL_GROUP", "TENSOR_AND_DATA_PARALLEL_GROUP",
        "EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP", "deep", "stepwise"})
    CHECK(group_kind(description) == GroupKind::kUNKNOWN);
}
