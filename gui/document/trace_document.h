#pragma once
// SPDX-License-Identifier: Apache-2.0
// The open run. Loads on a worker thread and publishes the finished, immutable run on the GUI's thread; a newer open()
// or cancel() makes an older load's result worthless, never dangerous.

#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gui/document/run_loader.h"

namespace moescope::gui {

class TraceDocument : public QObject {
  Q_OBJECT
 public:
  explicit TraceDocument(RunLoader loader, QObject* parent = nullptr);
  ~TraceDocument() override;

  void open(LoadRequest request);
  void cancel();
  bool loading() const { return load_ != nullptr; }
  const RunPtr& run() const { return run_; }  // null before the first load
  const QString& error() const { return error_; }

 signals:
  void loadStarted(const QString& what);
  void progressed(int permille);  // -1: unknown
  void loaded();
  void failed(const QString& message);
  void cancelled();

 private:
  struct Load;  // shared with its worker
  void work(const std::shared_ptr<Load>& load, const LoadRequest& request);
  void finish(const std::shared_ptr<Load>& load, const RunPtr& run, const QString& error);

  const RunLoader loader_;  // called on the workers
  RunPtr run_;
  QString error_;
  std::shared_ptr<Load> load_;  // the one whose result is wanted
  struct Worker {
    std::thread thread;
    std::shared_ptr<Load> load;
  };
  std::vector<Worker> workers_;  // joined once ended, and before the document goes
};

}  // namespace moescope::gui
