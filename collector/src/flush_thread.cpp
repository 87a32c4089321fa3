// SPDX-License-Identifier: Apache-2.0
#include "collector/src/flush_thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include "collector/src/clock_sync.h"
#include "collector/src/doors_seen.h"
#include "collector/src/overhead_meter.h"
#include "collector/src/process_identity.h"
#include "collector/src/said_rows.h"
#include "collector/src/session.h"
#include "collector/src/span_assembler.h"
#include "collector/src/thread_state.h"
#include "collector/src/tool_version.h"
#include "collector/trace/descriptor_guard.h"

namespace moescope::collector {
namespace {

constexpr std::int64_t kSecond = 1000000000;
constexpr std::size_t kSpansAtOnce = 100000;  // more than these are written before the period is over

// The only thing the collector ever prints in a job: one line, where recording is impossible.
void complain(const Session& session, const char* why) {
  if (session.config().quiet) return;
  char line[1024];
  const int length =
      std::snprintf(line, sizeof line, "moescope: process %d is not recorded: %s\n", static_cast<int>(getpid()), why);
  const auto bytes = std::min(static_cast<std::size_t>(std::max(length, 0)), sizeof line - 1);
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, line, bytes);
}

bool make_directories(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    if (mkdir(path.substr(0, at).c_str(), 0777) != 0 && errno != EEXIST) return false;
  return mkdir(path.c_str(), 0777) == 0 || errno == EEXIST;
}

class Flusher {
 public:
  explicit Flusher(Session& session) : session_(session) {}

  bool open(std::string* why);
  void loop();

 private:
  void drain();
  void drain_thread(ThreadState* thread);
  void look_for_dead_threads(const std::vector<ThreadState*>& threads);
  void report();
  void report_doors();
  void flush();
  void finish();
  bool files_are_ours();

  Session& session_;
  std::unique_ptr<trace::TraceWriter> writer_;
  OverheadMeter meter_;
  std::unique_ptr<LaneBook> lanes_;
  std::unique_ptr<SpanAssembler> spans_;
  std::unique_ptr<SaidRows> said_;
  trace::ProcessRow process_;
  std::uint64_t gone_recorded_ = 0, gone_dropped_ = 0, gone_unbalanced_ = 0;  // of threads that are no more
  std::int64_t flushed_at_ = 0, second_at_ = 0;
  std::uint64_t nvtx_reported_ = 0, extension_reported_ = 0;
  bool rank_said_ = false, cuda_reported_ = false;
};

bool Flusher::open(std::string* why) {
  const Config& config = session_.config();
  process_ = describe_process(session_.image_start_ns(), config.rank_source);
  if (!make_directories(config.directory)) {
    *why = config.directory + ": " + std::strerror(errno);
    return false;
  }
  trace::RunRow run;
  run.tool_version = kToolVersion;
  run.run_id = config.run_id;
  run.run_id_source = config.run_id_source;
  if (run.run_id.empty()) {
    run.run_id = process_.boot_id + "-" + std::to_string(process_.pid) + "-" + std::to_string(process_.image_start_ns);
    run.run_id_source = "random";
  }
  run.attempt = config.attempt;
  const trace::ClockSyncRow now = read_clock_pair();
  run.started_unix_ns = now.b_ns;
  const std::string path = config.directory + "/" + process_.host + "-" + std::to_string(process_.pid) + "-" +
                           std::to_string(process_.image_start_ns) + trace::kRunFileSuffix;
  trace::install_descriptor_guard();
  writer_ = trace::TraceWriter::create(path, run, process_, {}, why);
  if (writer_ == nullptr) return false;
  lanes_ = std::make_unique<LaneBook>(*writer_, session_.image_start_ns());
  spans_ = std::make_unique<SpanAssembler>(*writer_, *lanes_, config.rank);
  said_ = std::make_unique<SaidRows>(*writer_, *lanes_, config.rank);
  lanes_->know_rank({config.rank, config.world_size, config.local_rank, config.node});
  writer_->clock({kRealtimeClock, MOESCOPE_CLOCK_REALTIME, "realtime", now.b_ns});
  writer_->clock_sync(now);
  flushed_at_ = second_at_ = monotonic_ns();
  return true;
}

void Flusher::drain_thread(ThreadState* thread) {
  thread->ring.drain([&](const unsigned char* record) { return spans_->take(thread->serial, thread->os_tid, record); });
}

void Flusher::drain() {
  for (ThreadState* thread : session_.threads()) {
    const bool exited = thread->exited.load(std::memory_order_acquire);  // before the last look into its ring
    drain_thread(thread);
    if (!exited) continue;
    spans_->thread_gone(thread->serial);
    gone_recorded_ += thread->recorded.load(std::memory_order_relaxed);
    gone_dropped_ += thread->dropped.load(std::memory_order_relaxed);
    gone_unbalanced_ += thread->unbalanced.load(std::memory_order_relaxed);
    session_.forget(thread);
  }
  for (const SaidOnce& said : session_.take_said()) said_->take(said);
  if (spans_->rank_was_said() && !rank_said_ && session_.config().rank < 0) {
    rank_said_ = true;
    process_.rank_source = "annotation";
    writer_->process(process_);
  }
}

// A thread whose exit we were not told of (an event after our own TLS destructor): the system knows.
void Flusher::look_for_dead_threads(const std::vector<ThreadState*>& threads) {
  const pid_t pid = getpid();
  for (ThreadState* thread : threads)
    if (syscall(SYS_tgkill, pid, thread->os_tid, 0) != 0 && errno == ESRCH)
      thread->exited.store(true, std::memory_order_release);
}

void Flusher::report() {
  OverheadMeter::Counts counts{gone_recorded_, gone_dropped_, gone_unbalanced_, 0};
  for (const ThreadState* thread : session_.threads()) {
    counts.recorded += thread->recorded.load(std::memory_order_relaxed);
    counts.dropped += thread->dropped.load(std::memory_order_relaxed);
    counts.unbalanced += thread->unbalanced.load(std::memory_order_relaxed);
  }
  counts.dropped += session_.said_dropped() + spans_->lost_pairs();
  counts.lost_by_disk = static_cast<std::uint64_t>(writer_->rows_lost());
  meter_.report(counts, *writer_);
  report_doors();
}

void Flusher::report_doors() {
  const auto add = [&](const std::atomic<std::uint64_t>& seen, std::uint64_t& reported, const char* code,
                       const char* detail) {
    const std::uint64_t total = seen.load(std::memory_order_relaxed);
    if (total > reported) writer_->diagnostic({"info", code, static_cast<std::int64_t>(total - reported), detail});
    reported = total;
  };
  add(doors_seen.nvtx, nvtx_reported_, "nvtx_injections", "libraries whose NVTX ranges are recorded");
  add(doors_seen.nvtx_extension, extension_reported_, "nvtx_extension_modules",
      "extended payloads were offered; they are not kept");
  if (cuda_reported_ || doors_seen.cuda.load(std::memory_order_relaxed) == 0) return;
  cuda_reported_ = true;
  writer_->diagnostic({"warning", "gpu_records_not_collected", 1,
                       "this process uses CUDA; this version records no kernels, copies or other GPU activity"});
}

void Flusher::flush() {
  writer_->flush();
  flushed_at_ = monotonic_ns();
}

void Flusher::loop() {
  const std::int64_t period = session_.config().flush_ms * 1000000;
  for (bool end = false; !end;) {
    end = session_.wait(flushed_at_ + period - monotonic_ns());
    const std::lock_guard work(session_.work());
    const std::int64_t now = monotonic_ns();
    if (now - second_at_ >= kSecond) {
      second_at_ = now;
      writer_->clock_sync(read_clock_pair());
      look_for_dead_threads(session_.threads());
    }
    drain();
    if (!files_are_ours()) return;
    if (end) return finish();
    if (now - flushed_at_ < period && writer_->spans_pending() < kSpansAtOnce) continue;
    if (writer_->spans_pending() > 0) {
      report();
    } else {
      report_doors();
    }
    flush();
  }
}

// A job that closes all descriptors closes ours: the file stays as it was at the last flush.
bool Flusher::files_are_ours() {
  if (trace::descriptors_intact()) return true;
  complain(session_, "any further: the job has closed the collector's files");
  [[maybe_unused]] trace::TraceWriter* never_closed = writer_.release();  // closing would write
  return false;
}

void Flusher::finish() {
  session_.stop_accepting();
  drain();
  const trace::ClockSyncRow now = read_clock_pair();
  spans_->everything_ends(now.a_ns);
  writer_->clock_sync(now);
  writer_->flush();
  report();  // after the flush, so that it counts itself
  writer_->finish(now.b_ns, session_.end_kind());
}

void* run(void* argument) {
  auto* session = static_cast<Session*>(argument);
  prctl(PR_SET_NAME, "moescope");
  bool recording = false;
  std::string why = "out of memory";
  try {
    // Leaked on purpose: a forked child has a copy of it that it must not touch.
    Flusher* flusher = nullptr;
    {
      const std::lock_guard work(session->work());
      flusher = new Flusher(*session);
      recording = flusher->open(&why);
    }
    if (recording) flusher->loop();
  } catch (...) {
    recording = false;
  }
  if (!recording) complain(*session, why.c_str());
  session->finished();
  return nullptr;
}

}  // namespace

bool start_flush_thread(Session* session) {
  // Signals of the job, SIGXFSZ of a full quota among them, are not for this thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 512 * 1024);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, run, session);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed != 0) complain(*session, "the system gives it no thread");
  return failed == 0;
}

}  // namespace moescope::collector
