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
  std::atomic<bool> wanted{true}, ended{false};
  int last_permille = -2;  // the worker's
};

TraceDocument::TraceDocument(RunLoader loader, QObject* parent) : QObject(parent), loader_(std::move(loader)) {}

TraceDocument::~TraceDocument() {
  if (load_) load_->wanted = false;
  for (Worker& worker : workers_) worker.thread.join();
}

void TraceDocument::open(LoadRequest request) {
  if (load_) load_->wanted = false;
  std::erase_if(workers_, [](Worker& worker) {
    if (!worker.load->ended) return false;
    worker.thread.join();
    return true;
  });
  load_ = std::make_shared<Load>();
  emit loadStarted(request.paths.empty() ? QString() : QString::fromStdString(request.paths.front()));
  std::thread thread([this, load = load_, request = std::move(request)] {
    work(load, request);
    load->ended = true;
  });
  workers_.push_back({std::move(thread), load_});
}

// On the worker. It reports only by queued calls, and `this` lives until all workers are joined.
void TraceDocument::work(const std::shared_ptr<Load>& load, const LoadRequest& request) {
  const auto report = [this, load](std::uint64_t done, std::uint64_t total) {
    if (!load->wanted) throw GivenUp{};
    const int permille =
        total == 0 ? -1 : static_cast<int>(1000.0 * static_cast<double>(done) / static_cast<double>(total));
    if (permille == load->last_permille) return;
    load->last_permille = permille;
    const auto publish = [this, load, permille] {
      if (load == load_) emit progressed(permille);
    };
    QMetaObject::invokeMethod(this, publish, Qt::QueuedConnection);
  };
  RunPtr run;
  QString error;
  try {
    run = loader_(request, report);
  } catch (const GivenUp&) {
    return;
  } catch (const std::exception& trouble) {
    error = QString::fromUtf8(trouble.what());
  }
  const auto publish = [this, load, run, error] { finish(load, run, error); };
  QMetaObject::invokeMethod(this, publish, Qt::QueuedConnection);
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
