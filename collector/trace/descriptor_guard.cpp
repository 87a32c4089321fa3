// SPDX-License-Identifier: Apache-2.0
#include "collector/trace/descriptor_guard.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace moescope::trace {
namespace {

constexpr int kOutOfTheWay = 800;

struct Held {
  int descriptor = -1;
  dev_t device = 0;
  ino_t file = 0;
  bool still_ours() const {
    struct stat now {};
    return fstat(descriptor, &now) == 0 && now.st_dev == device && now.st_ino == file;
  }
};
constinit std::array<Held, 16> held{};  // a database has three: itself, its log, the log's index

Held* find(int descriptor) {
  for (Held& one : held)
    if (one.descriptor == descriptor) return &one;
  return nullptr;
}

int guarded_open(const char* path, int flags, int mode) {
  int descriptor = open(path, flags | O_CLOEXEC, mode);
  if (descriptor < 0) return descriptor;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, kOutOfTheWay);
  if (moved >= 0) {
    close(descriptor);
    descriptor = moved;
  }
  struct stat file {};
  Held* free = find(-1);
  if (free != nullptr && fstat(descriptor, &file) == 0) *free = {descriptor, file.st_dev, file.st_ino};
  return descriptor;
}

int guarded_close(int descriptor) {
  Held* known = find(descriptor);
  if (known == nullptr) return close(descriptor);
  const bool ours = known->still_ours();
  *known = {};
  return ours ? close(descriptor) : 0;
}

}  // namespace

void install_descriptor_guard() {
  held = {};
  sqlite3_initialize();
  sqlite3_vfs* system = sqlite3_vfs_find("unix");
  if (system == nullptr || system->iVersion < 3) return;
  system->xSetSystemCall(system, "open", reinterpret_cast<sqlite3_syscall_ptr>(guarded_open));
  system->xSetSystemCall(system, "close", reinterpret_cast<sqlite3_syscall_ptr>(guarded_close));
}

bool descriptors_intact() {
  for (const Held& one : held)
    if (one.descriptor >= 0 && !one.still_ours()) return false;
  return true;
}

}  // namespace moescope::trace
