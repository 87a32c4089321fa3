// SPDX-License-Identifier: Apache-2.0
#include "collector/trace/descriptor_guard.h"

#include <fcntl.h>
#include <unistd.h>

#include "collector/trace/database.h"
#include "tests/collector/trace/sqlite_query.h"

using namespace moescope::trace;
using namespace moescope::test;

// The guard holds for the whole process, so it is tried in a child.
TEST_CASE("Descriptors lie out of the way, and one that is no longer ours is noticed and left alone") {
  ScratchFolder dir;
  const pid_t child = fork();
  if (child == 0) {
    install_descriptor_guard();
    if (!descriptors_intact()) _exit(1);
    auto* database = new Database;
    if (!Database::open(dir / "a.db", Database::Mode::kCreateExclusive, database)) _exit(2);
    if (!database->execute("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)")) _exit(3);
    if (!descriptors_intact()) _exit(4);
    int ours = 0;
    for (int fd = 3; fd < 800; ++fd) {
      std::error_code error;
      const auto target = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
      if (!error && target.string().find("a.db") != std::string::npos) _exit(5);
    }
    for (int fd = 800; fd < 900; ++fd) ours += fcntl(fd, F_GETFD) >= 0;
    if (ours < 2) _exit(6);
    for (int fd = 800; fd < 900; ++fd) close(fd);
    if (descriptors_intact()) _exit(7);
    const int mine = open((dir / "mine").c_str(), O_RDWR | O_CREAT, 0600);
    for (int fd = 800; fd < 900; ++fd) dup2(mine, fd);
    if (descriptors_intact()) _exit(8);
    delete database;  // closes nothing that isn't its own
    for (int fd = 800; fd < 900; ++fd)
      if (fcntl(fd, F_GETFD) < 0) _exit(9);
    _exit(0);
  }
  CHECK(wait_for(child) == 0);
}
