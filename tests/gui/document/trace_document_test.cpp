// SPDX-License-Identifier: Apache-2.0
#include "gui/document/trace_document.h"

#include <QCoreApplication>
#include <QSignalSpy>
#include <QThread>
#include <atomic>
#include <stdexcept>

#include "tests/gui/qt_application.h"
#include "tests/gui/sample_run.h"
#include "tests/support/catch.h"

using namespace moescope;
using namespace moescope::gui;

namespace {

RunPtr a_run(const std::vector<std::string>& paths) {
  test::Sample sample = test::sample_run({});
  return make_run(paths, std::move(sample.trace), std::move(sample.attribution), {});
}

}  // namespace

TEST_CASE("a run is loaded on another thread and published on this one") {
  test::qt_application();
  QThread* worker = nullptr;
  TraceDocument document([&](const LoadRequest& request, const LoadProgress& progress) {
    worker = QThread::currentThread();
    progress(1, 4);
    progress(4, 4);
    progress(5, 0);
    return a_run(request.paths);
  });
  QSignalSpy loaded(&document, &TraceDocument::loaded), progressed(&document, &TraceDocument::progressed);
  QThread* published = nullptr;
  QObject::connect(&document, &TraceDocument::loaded, [&] { published = QThread::currentThread(); });
  document.open({{"here"}, {}});
  CHECK(document.loading());
  REQUIRE(loaded.wait(10'000));
  CHECK_FALSE(document.loading());
  CHECK(document.run()->title.name == "here");
  CHECK(published == QThread::currentThread());
  CHECK(worker != published);
  REQUIRE(progressed.size() == 3);
  CHECK(progressed[0][0].toInt() == 250);
  CHECK(progressed[1][0].toInt() == 1000);
  CHECK(progressed[2][0].toInt() == -1);
}

TEST_CASE("what can't be read leaves the run that was there, and says why") {
  test::qt_application();
  TraceDocument document([&](const LoadRequest& request, const LoadProgress&) -> RunPtr {
    if (request.paths.front() == "bad") throw std::runtime_error("bad: no such file; check the path");
    return a_run(request.paths);
  });
  QSignalSpy loaded(&document, &TraceDocument::loaded), failed(&document, &TraceDocument::failed);
  document.open({{"good"}, {}});
  REQUIRE(loaded.wait(10'000));
  document.open({{"bad"}, {}});
  REQUIRE(failed.wait(10'000));
  CHECK(failed[0][0].toString() == "bad: no such file; check the path");
  CHECK(document.run()->title.name == "good");
}

TEST_CASE("a cancelled load is given up, and its result never shows") {
  test::qt_application();
  std::atomic<bool> given_up{false}, reading{false};
  TraceDocument document([&](const LoadRequest& request, const LoadProgress& progress) {
    try {
      for (int i = 0; i < 10'000; ++i) {
        progress(1, 2);
        reading = true;
        QThread::msleep(1);
      }
    } catch (...) {
      given_up = true;
      throw;
    }
    return a_run(request.paths);
  });
  QSignalSpy cancelled(&document, &TraceDocument::cancelled), loaded(&document, &TraceDocument::loaded);
  document.open({{"slow"}, {}});
  while (!reading) QThread::msleep(1);
  document.cancel();
  CHECK(cancelled.size() == 1);
  CHECK_FALSE(document.loading());
  while (!given_up) QThread::msleep(1);
  QCoreApplication::processEvents();
  CHECK(loaded.isEmpty());
  CHECK(document.run() == nullptr);
}

TEST_CASE("of two loads only the newer one counts") {
  test::qt_application();
  std::atomic<bool> go{false};
  TraceDocument document([&](const LoadRequest& request, const LoadProgress&) {
    while (request.paths.front() == "old" && !go) QThread::msleep(1);
    return a_run(request.paths);
  });
  QSignalSpy loaded(&document, &TraceDocument::loaded);
  document.open({{"old"}, {}});
  document.open({{"new"}, {}});
  REQUIRE(loaded.wait(10'000));
  go = true;
  QThread::msleep(50);
  QCoreApplication::processEvents();
  CHECK(loaded.size() == 1);
  CHECK(document.run()->title.name == "new");
}

TEST_CASE("a document that goes while loading waits for its worker") {
  test::qt_application();
  std::atomic<bool> ended{false};
  {
    TraceDocument document([&](const LoadRequest&, const LoadProgress&) -> RunPtr {
      QThread::msleep(50);
      ended = true;
      return nullptr;
    });
    document.open({{"x"}, {}});
  }
  CHECK(ended);
}
