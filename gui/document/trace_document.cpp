// SPDX-License-Identifier: Apache-2.0
#include "gui/document/trace_document.h"

#include <QMetaObject>
#include <exception>
#include <utility>

namespace moescope::gui {
namespace {

struct GivenUp {};

}  // namespace

struct TraceDocument::Load {
  std::atomic<bool> wanted{true};
};

TraceDocument::TraceDocument(RunLoader loader, QObject* parent) : QObject(parent), loader_(std::move(loader)) {}

TraceDocument::~TraceDocument() {
  if (load_) load_->wanted = false;
  for (std::thread& worker : workers_) worker.join();
}

void TraceDocument::open(LoadRequest request) {
  if (load_) load_->wanted = false;
  load_ = std::make_shared<Load>();
  emit loadStarted(request.paths.empty() ? QString() : QString::fromStdString(request.paths.front()));
  workers_.emplace_back([this, load = load_, request = std::move(request), loader = loader_] {
    // A worker reports only by queued calls: `this` lives until all workers are joined.
    const auto report = [this, load](std::uint64_t done, std::uint64_t total) {
      if (!load->wanted) throw GivenUp{};
      const int permille =
          total == 0 ? -1 : static_cast<int>(1000.0 * static_cast<double>(done) / static_cast<double>(total));
      QMetaObject::invokeMethod(
          this,
          [this, load, permille] {
            if (load == load_) emit progressed(permille);
          },
          Qt::QueuedConnection);
    };
    RunPtr run;
    QString error;
    try {
      run = loader(request, report);
    } catch (const GivenUp&) {
      return;
    } catch (const std::exception& trouble) {
      error = QString::fromUtf8(trouble.what());
    }
    QMetaObject::invokeMethod(
        this, [this, load, run, error] { finish(load, run, error); }, Qt::QueuedConnection);
  });
}

void TraceDocument::cancel() {
  if (!load_) return;
  load_->wanted = false;
  load_.reset();
  emit cancelled();
}

void TraceDocument::finish(const std::shared_ptr<Load>& load, const RunPtr& run, const QString& error) {
  if (load != load_) return;  // cancelled, or overtaken by a newer open()
  load_.reset();
  error_ = error;
  if (run) {
    run_ = run;
    emit loaded();
  } else {
    emit failed(error);
  }
}

}  // namespace moescope::gui
