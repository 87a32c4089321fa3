// SPDX-License-Identifier: Apache-2.0
#include "collector/src/process_identity.h"

#include <unistd.h>

#include "collector/src/clock_sync.h"
#include "collector/src/thread_state.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope::collector;

TEST_CASE("Secrets in the command line are masked, the rest is kept") {
  CHECK(masked_json({}) == "[]");
  CHECK(masked_json({"train.py", "--lr", "1e-3"}) == R"(["train.py","--lr","1e-3"])");
  CHECK(masked_json({"a", "--api-key", "s3cret", "--x"}) == R"(["a","--api-key","***","--x"])");
  CHECK(masked_json({"HF_TOKEN=abc", "b"}) == R"(["HF_TOKEN=***","b"])");
  CHECK(masked_json({"--Password=abc=def"}) == R"(["--Password=***"])");
  CHECK(masked_json({"--passwd", "--flag"}) == R"(["--passwd","--flag"])");
  CHECK(masked_json({"-mysecret", "x"}) == R"(["-mysecret","***"])");
  CHECK(masked_json({"--credential-file", "/x"}) == R"(["--credential-file","***"])");
  CHECK(masked_json({"name=keyboard"}) == R"(["name=keyboard"])");  // only the name tells
  CHECK(masked_json({"monkey", "x"}) == R"(["monkey","x"])");       // a word alone names nothing
}

TEST_CASE("Any bytes become JSON") {
  CHECK(masked_json({"quote\" back\\ line\n tab\t"}) == R"(["quote\" back\\ line\u000a tab\u0009"])");
}

TEST_CASE("The process describes itself as the system does") {
  const auto row = describe_process(17, "RANK");
  CHECK(row.pid == getpid());
  CHECK(row.image_start_ns == 17);
  CHECK(row.rank_source == "RANK");
  CHECK(row.boot_id.size() == 36);
  CHECK(row.executable == std::filesystem::read_symlink("/proc/self/exe").string());
  CHECK(row.host + "\n" == moescope::test::run({"uname", "-n"}).out);
  CHECK("pid:[" + std::to_string(row.pid_namespace) + "]" ==
        std::filesystem::read_symlink("/proc/self/ns/pid").string());
}

TEST_CASE("A clock pair lies between readings around it and knows how well") {
  for (int i = 0; i < 20; ++i) {
    const auto mono_before = monotonic_ns(), wall_before = realtime_ns();
    const auto pair = read_clock_pair();
    const auto wall_after = realtime_ns(), mono_after = monotonic_ns();
    CHECK(pair.a_ns >= mono_before);
    CHECK(pair.a_ns <= mono_after);
    CHECK(pair.b_ns >= wall_before);
    CHECK(pair.b_ns <= wall_after);
    CHECK(pair.uncertainty_ns >= 0);
    CHECK(pair.uncertainty_ns <= (mono_after - mono_before) / 2 + 1);
  }
}
