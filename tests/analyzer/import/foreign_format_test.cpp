// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/foreign_format.h"

#include "analyzer/import/importer.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;

TEST_CASE("formats that are not read are refused by their name") {
  const test::ScratchFolder folder;
  std::string tar(512, '\0');
  tar.replace(0, 6, "a.json");
  tar.replace(257, 5, "ustar");
  struct Row {
    const char* name;
    std::string bytes;
    const char* what;
  };
  for (const Row& row :
       {Row{"final.0.et",
            "l\x12\x1d\n\x06schema\xea\x01\x12"
            "1.1.0-chakra.0.0.4",
            "Chakra execution trace"},
        Row{"x.pt", std::string("PK\x03\x04\x14\0", 6), "zip archive"},
        Row{"x.pkl", "\x80\x04\x95rest", "Python pickle"}, Row{"x.tar", tar, "tar archive"},
        Row{"x.parquet", "PAR1\x15\x04", "Parquet"},
        Row{"x.csv", "Start (ns),Duration (ns),CorrId,GrdX\n1,2,3,4\n", "nsys stats"},
        Row{"y.csv", "Name,type,Timestamp (ns),_matching_event,_matching_timestamp\n", "Pipit"},
        Row{"x.nsys-rep", "anything", "Nsight Systems report"}, Row{"x.ncu-rep", "anything", "Nsight Compute report"},
        Row{"ncu.log", "==PROF== Profiling \"gemm\" - 0: 0%\n", "output of Nsight Compute"},
        Row{"perf.txt", "# nThread 1 nGpus 8 minBytes 8\n#\n", "output of nccl-tests"},
        Row{"topo.xml", "<!-- a licence -->\n<system version=\"1\">\n", "a topology"},
        Row{"smi.txt", "\n====NVSMI LOG====\n", "output of nvidia-smi"},
        Row{"ibstat.txt", "CA 'mlx5_0'\n\tCA type: MT4129\n", "output of ibstat"},
        Row{"t.csv", "model,batch,latency_us\nx,1,2\n", "a table with the columns model, batch, latency_us"},
        Row{"t2.csv", "a,b,c,d,e\n1,2,3,4,5\n", "the columns a, b, c, d, ..."}}) {
    INFO(row.name);
    test::write_file(folder / row.name, row.bytes);
    try {
      load_trace({folder / row.name}, "auto", {});
      FAIL("was read");
    } catch (const TraceError& error) {
      const std::string message = error.what();
      CHECK(message.starts_with(folder / row.name));
      CHECK(message.find(row.what) != std::string::npos);
      CHECK(message.find('\n') == std::string::npos);
    }
  }
  CHECK_FALSE(foreign_format("{\"traceEvents\": []}", "a.json"));
  CHECK_FALSE(foreign_format("", "a.json"));
  CHECK_FALSE(foreign_format("one, two, three and so on without an end of the line", "a.txt"));
  CHECK_FALSE(foreign_format("[1, 2, 3]\n", "a.txt"));
}
