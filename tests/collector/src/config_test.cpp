// SPDX-License-Identifier: Apache-2.0
#include "collector/src/config.h"

#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/support/catch.h"

using namespace moescope::collector;

namespace {

Config with(std::vector<std::string> variables) {
  return read_config(Environment(std::move(variables)));
}

}  // namespace

TEST_CASE("Without any variable the collector has sensible defaults") {
  const Config config = with({});
  CHECK(config.directory == "moescope-run");
  CHECK(config.flush_ms == 100);
  CHECK(config.nvtx);
  CHECK(config.rank == -1);
  CHECK(config.rank_source == "none");
  CHECK(config.run_id.empty());
}

TEST_CASE("Rank and world come from the launcher nearest to the job, with their source") {
  const std::vector<std::string> slurm = {"SLURM_PROCID=5", "SLURM_NTASKS=6", "SLURM_LOCALID=1", "SLURM_NODEID=2"};
  Config config = with(slurm);
  CHECK(config.rank == 5);
  CHECK(config.world_size == 6);
  CHECK(config.local_rank == 1);
  CHECK(config.node == 2);
  CHECK(config.rank_source == "SLURM_PROCID");
  std::vector<std::string> both = slurm;
  both.insert(both.end(), {"RANK=11", "WORLD_SIZE=16", "LOCAL_RANK=3"});
  config = with(both);
  CHECK(config.rank == 11);
  CHECK(config.world_size == 16);
  CHECK(config.local_rank == 3);
  CHECK(config.node == -1);  // nothing is mixed from two launchers
  CHECK(config.rank_source == "RANK");
  CHECK(with({"OMPI_COMM_WORLD_RANK=1", "PMI_RANK=2", "PMIX_RANK=3"}).rank == 1);
  CHECK(with({"PMIX_RANK=3", "PMI_RANK=2", "PMI_SIZE=4"}).world_size == 4);
  CHECK(with({"PMIX_RANK=3"}).rank_source == "PMIX_RANK");
  CHECK(with({"RANK=", "PMI_RANK=2"}).rank == 2);
  CHECK(with({"RANK=first", "PMI_RANK=2"}).rank == 2);
  CHECK(with({"RANK=-1"}).rank == -1);
  CHECK(with({"RANKS=4"}).rank == -1);
}

TEST_CASE("All processes of a job agree on its id") {
  CHECK(with({"SLURM_JOB_ID=77", "SLURM_STEP_ID=2"}).run_id == "77.2");
  CHECK(with({"SLURM_JOB_ID=77"}).run_id_source == "slurm");
  CHECK(with({"TORCHELASTIC_RUN_ID=none"}).run_id.empty());
  CHECK(with({"TORCHELASTIC_RUN_ID=abc", "TORCHELASTIC_RESTART_COUNT=2"}).attempt == 2);
  CHECK(with({"MOESCOPE_RUN_ID=mine", "SLURM_JOB_ID=77"}).run_id == "mine");
  CHECK(with({"SLURM_JOB_ID=77"}).directory == "moescope-run-77");
  CHECK(with({"SLURM_JOB_ID=77", "MOESCOPE_OUT=/r"}).directory == "/r");
}

TEST_CASE("Flush period and sources are taken where they make sense") {
  CHECK(with({"MOESCOPE_FLUSH_MS=20"}).flush_ms == 20);
  CHECK(with({"MOESCOPE_FLUSH_MS=0"}).flush_ms == 100);
  CHECK(with({"MOESCOPE_FLUSH_MS=soon"}).flush_ms == 100);
  CHECK_FALSE(with({"MOESCOPE_ENABLE=cupti,links"}).nvtx);
  CHECK(with({"MOESCOPE_ENABLE=cupti,nvtx"}).nvtx);
  CHECK_FALSE(with({"MOESCOPE_ENABLE=nvtx"}).cuda);
  CHECK(with({"MOESCOPE_LOG=quiet"}).quiet);
}

TEST_CASE("The environment is copied as it is") {
  setenv("MOESCOPE_TEST_VARIABLE", std::string(3000, 'v').c_str(), 1);
  setenv("MOESCOPE_TEST_EMPTY", "", 1);
  const Environment environment = Environment::of_this_process();
  CHECK(environment.get("MOESCOPE_TEST_VARIABLE") == std::string(3000, 'v'));
  CHECK(environment.has("MOESCOPE_TEST_EMPTY"));
  CHECK_FALSE(environment.has("MOESCOPE_TEST_NOT_THERE"));
  CHECK(environment.get("PATH") == std::getenv("PATH"));
}

#ifndef MOESCOPE_SANITIZED  // the race is the job's own, and what this is about
TEST_CASE("Copying survives a job that changes its environment meanwhile") {
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (int i = 0; !stop; ++i) {
      const std::string name = "MOESCOPE_TEST_" + std::to_string(i % 500);
      setenv(name.c_str(), std::string(static_cast<std::size_t>(i % 200), 'x').c_str(), 1);
      if (i % 3 == 0) unsetenv(name.c_str());
    }
  });
  std::size_t seen = 0;
  for (int i = 0; i < 300; ++i) seen += Environment::of_this_process().has("PATH");
  stop = true;
  changer.join();
  CHECK(seen > 0);
}
#endif
