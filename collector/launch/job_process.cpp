// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/job_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace moescope::launch {
namespace {

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1000000000} + now.tv_nsec;
}

[[noreturn]] void become(const std::vector<std::string>& command, const std::vector<Variable>& environment,
                         const sigset_t& mask, int error_pipe) {
  for (const Variable& variable : environment) setenv(variable.name.c_str(), variable.value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvp(argv[0], argv.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = write(error_pipe, &error, sizeof error);
  _exit(127);
}

}  // namespace

JobEnd run_job(const std::vector<std::string>& command, const std::vector<Variable>& environment) {
  JobEnd end;
  // Waited for with sigwaitinfo below instead of handled, so that none is lost between two checks.
  sigset_t watched, before;
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  for (const int signal : kPassedOn) sigaddset(&watched, signal);
  sigprocmask(SIG_BLOCK, &watched, &before);

  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) {
    end.exec_error = errno;
    return end;
  }
  const std::int64_t started = monotonic_ns();
  const pid_t child = fork();
  if (child == 0) become(command, environment, before, error_pipe[1]);
  end.exec_error = child < 0 ? errno : 0;
  close(error_pipe[1]);
  // Closed by a successful exec, which reads as an end of file.
  if (child > 0 && read(error_pipe[0], &end.exec_error, sizeof end.exec_error) <= 0) end.exec_error = 0;
  close(error_pipe[0]);

  int status = 0;
  while (child > 0) {
    const pid_t gone = waitpid(child, &status, WNOHANG);
    if (gone == child || (gone < 0 && errno != EINTR)) break;
    siginfo_t info{};
    const int signal = sigwaitinfo(&watched, &info);
    // What the terminal sends goes to the whole foreground group, the job included: passed on it would come twice.
    if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL) kill(child, signal);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  end.wall_ns = monotonic_ns() - started;
  end.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

}  // namespace moescope::launch
