// SPDX-License-Identifier: Apache-2.0
// The jobs that the tests record: `collector_job MODE [ARG]`, annotated with the public header only.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "moescope/annotate.h"

namespace {

char** arguments;

void spans(int count, const char* name) {
  for (int i = 0; i < count; ++i) {
    moescope_begin(MOESCOPE_STAGE_L1, name);
    moescope_end(i, -1.0);
  }
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int threads(int count) {
  std::vector<std::thread> all;
  for (int t = 0; t < count; ++t)
    all.emplace_back([t, count] {
      moescope_rank(t, count, nullptr, MOESCOPE_TRACK_HOST_THREAD);
      for (int i = 0; i < 20000; ++i) {
        moescope::StageRange outer(MOESCOPE_STAGE_DISPATCH, "outer", i % 4);
        moescope::StageRange inner(MOESCOPE_STAGE_OTHER);
        inner.bytes = 1;
      }
    });
  for (std::thread& thread : all) thread.join();
  return 0;
}

// A TLS destructor of the application that runs after the collector's own.
pthread_key_t late_key;
void late(void* round) {
  const auto left = reinterpret_cast<std::uintptr_t>(round);
  spans(1, "late");
  if (left > 1) pthread_setspecific(late_key, reinterpret_cast<void*>(left - 1));
}
int late_destructor() {
  pthread_key_create(&late_key, late);
  for (int i = 0; i < 20; ++i)
    std::thread([] {
      spans(1, "early");
      pthread_setspecific(late_key, reinterpret_cast<void*>(std::uintptr_t{4}));
    }).join();
  return 0;
}

int fork_worker() {
  spans(10, "parent");
  const pid_t child = fork();
  if (child == 0) {
    spans(3, "child");
    _exit(7);
  }
  spans(10, "parent");
  return wait_for(child) == 7 ? 0 : 1;
}

// A child that never says anything must leave nothing.
int fork_silent() {
  spans(10, "parent");
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      if (i % 2 == 0) std::exit(0);
      _exit(0);
    }
    if (wait_for(child) != 0) return 1;
  }
  return 0;
}

int fork_exec() {
  spans(10, "parent");
  const pid_t child = fork();
  if (child == 0) {
    spans(2, "child");
    execl("/proc/self/exe", arguments[0], "spans", "5", nullptr);
    _exit(1);
  }
  return wait_for(child);
}

// Long beyond the flush period, for machines that are busy.
void until_flushed() {
  usleep(1500000);
}

int exec_self() {
  spans(10, "before");
  until_flushed();
  execl("/proc/self/exe", arguments[0], "spans", "5", nullptr);
  return 1;
}

// What daemon(3) does, and closing every descriptor as careful daemons do, ours included.
int daemonise() {
  spans(10, "parent");
  if (fork() != 0) return 0;
  setsid();
  for (int fd = 0; fd < 1024; ++fd) close(fd);
  const int other = open("/dev/null", O_RDWR);
  spans(4, "daemon");
  usleep(100000);
  close(other);
  return 0;
}

// The job closes the collector's files and opens its own, which get the same numbers.
int close_everything(const char* victim) {
  spans(10, "before");
  until_flushed();
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  std::vector<int> mine;
  for (int i = 0; i < 900; ++i) mine.push_back(open(victim, O_RDWR | O_CREAT, 0600));
  for (int i = 0; i < 5; ++i) {
    spans(1000, "after");
    usleep(30000);
  }
  for (const int fd : mine) close(fd);
  return 0;
}

int endless() {
  for (int i = 0;; ++i) {
    moescope_step_begin(i, MOESCOPE_STEP_TRAIN);
    spans(100, "work");
    moescope_step_end();
    usleep(2000);
  }
}

// A ring is given back at the flush after its thread's end: the first batch shows what one period takes, and the others
// must find that. Kept, theirs would be some 20 MiB.
int short_threads() {
  const auto batch = [] {
    for (int i = 0; i < 500; ++i) std::thread([] { spans(1, "short"); }).join();
    usleep(300000);
  };
  batch();
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  for (int again = 0; again < 5; ++again) batch();
  getrusage(RUSAGE_SELF, &after);
  std::printf("%ld\n", after.ru_maxrss - before.ru_maxrss);
  return 0;
}

void handler(int) {
  spans(1, "handler");
}
int signals() {
  signal(SIGALRM, handler);
  const itimerval often{{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &often, nullptr);
  spans(300000, "work");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  arguments = argv;
  const std::string mode = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (mode == "spans") spans(number, "span");
  if (mode == "threads") return threads(number);
  if (mode == "late") return late_destructor();
  if (mode == "fork") return fork_worker();
  if (mode == "fork-silent") return fork_silent();
  if (mode == "fork-exec") return fork_exec();
  if (mode == "exec") return exec_self();
  if (mode == "daemon") return daemonise();
  if (mode == "close-everything") return close_everything(argv[2]);
  if (mode == "endless") return endless();
  if (mode == "short-threads") return short_threads();
  if (mode == "signals") return signals();
  if (mode == "_exit") {
    spans(number, "span");
    _exit(3);
  }
  if (mode == "_Exit") {
    spans(number, "span");
    _Exit(4);
  }
  if (mode == "quick_exit") {
    spans(number, "span");
    std::quick_exit(5);
  }
  if (mode == "exit-in-thread") {
    spans(number, "span");
    std::thread([] { std::exit(6); }).join();
  }
  if (mode == "abort") {
    spans(number, "span");
    until_flushed();
    std::abort();
  }
  if (mode == "signal") raise(number);
  if (mode == "status") return number;
  if (mode == "wait-for-signal") {
    std::printf("ready\n");
    std::fflush(stdout);
    pause();
  }
  return 0;
}
