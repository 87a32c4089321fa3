// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"

#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QProgressBar>
#include <QStatusBar>
#include <QVBoxLayout>
#include <utility>

#include "gui/app/banner.h"
#include "gui/app/commands.h"
#include "gui/app/help_overlay.h"
#include "gui/app/theme.h"
#include "gui/views/gantt_view.h"

namespace moescope::gui {
namespace {

QString text(std::string_view view) {
  return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

}  // namespace

MainWindow::MainWindow(RunLoader loader, GanttOptions options, Theme theme)
    : document_(std::move(loader)), gantt_options_(options), theme_(theme) {
  setWindowTitle(QStringLiteral("moescope"));
  setAcceptDrops(true);
  resize(1400, 860);
  buildViews();
  buildMenus();
  readout_ = new QLabel;
  progress_ = new QProgressBar;
  progress_->setMaximumWidth(240);
  progress_->hide();
  statusBar()->addWidget(readout_, 1);
  statusBar()->addPermanentWidget(progress_);
  connect(canvas_, &GanttCanvas::rangeChanged, readout_, &QLabel::setText);
  watchDocument();
  help_ = new HelpOverlay(this);
}

MainWindow::~MainWindow() = default;

void MainWindow::buildViews() {
  auto* const middle = new QWidget;
  auto* const column = new QVBoxLayout(middle);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  banner_ = new Banner;
  column->addWidget(banner_);
  for (const ViewKind& kind : view_kinds()) {
    views_.push_back(kind.create());
    View& view = *views_.back();
    view.setTheme(theme_);
    if (views_.size() == 1) {
      canvas_ = static_cast<GanttView&>(view).canvas();
      column->addWidget(view.widget(), 1);
      shown_.push_back(view.widget());
      continue;
    }
    auto* const dock = new QDockWidget(text(kind.title));
    dock->setObjectName(text(kind.name));
    dock->setWidget(view.widget());
    addDockWidget(Qt::BottomDockWidgetArea, dock);
    dock->hide();
    shown_.push_back(dock);
  }
  setCentralWidget(middle);
  canvas_->setFocus();
}

void MainWindow::buildMenus() {
  QMenu* menu = nullptr;
  for (const Command& command : commands()) {
    if (command.run == nullptr) continue;
    if (menu == nullptr || menu->title() != text(command.menu)) menu = menuBar()->addMenu(text(command.menu));
    QAction* const action = menu->addAction(text(command.title));
    action->setStatusTip(text(command.help));
    QList<QKeySequence> keys;
    for (const QString& key : text(command.keys).split(QLatin1Char(' '), Qt::SkipEmptyParts)) keys << QKeySequence(key);
    action->setShortcuts(keys);
    connect(action, &QAction::triggered, this, [this, run = command.run] { run(*this); });
  }
  QMenu* const windows = menuBar()->addMenu(QStringLiteral("Views"));
  for (QWidget* const shown : shown_)
    if (auto* const dock = qobject_cast<QDockWidget*>(shown)) windows->addAction(dock->toggleViewAction());
}

void MainWindow::watchDocument() {
  connect(&document_, &TraceDocument::loadStarted, this, [this](const QString& what) {
    banner_->hide();
    readout_->setText(QStringLiteral("reading %1 …").arg(what));
    progress_->setRange(0, 0);
    progress_->show();
  });
  connect(&document_, &TraceDocument::progressed, this, [this](int permille) {
    progress_->setRange(0, permille < 0 ? 0 : 1000);
    progress_->setValue(permille);
  });
  const auto done = [this] {
    progress_->hide();
    readout_->clear();
  };
  connect(&document_, &TraceDocument::cancelled, this, done);
  connect(&document_, &TraceDocument::failed, this, [this, done](const QString& message) {
    done();
    banner_->say(message);
  });
  connect(&document_, &TraceDocument::loaded, this, [this, done] {
    done();
    setWindowTitle(QString::fromStdString(document_.run()->title.name) + QStringLiteral(" — moescope"));
    for (const auto& view : views_) view->setRun(document_.run());
  });
}

void MainWindow::open(const std::vector<std::string>& paths) {
  document_.open({paths, gantt_options_});
}

void MainWindow::showView(std::string_view name) {
  for (std::size_t i = 0; i < view_kinds().size(); ++i)
    if (view_kinds()[i].name == name) {
      shown_[i]->show();
      if (auto* const dock = qobject_cast<QDockWidget*>(shown_[i])) resizeDocks({dock}, {height() / 3}, Qt::Vertical);
    }
}

QWidget* MainWindow::banner() {
  return banner_;
}

QWidget* MainWindow::help() {
  return help_;
}

void MainWindow::askForFile() {
  const QStringList files =
      QFileDialog::getOpenFileNames(this, QStringLiteral("Open run"), {},
                                    QStringLiteral("Runs and traces (*.moe.db *.json *.json.gz);;All files (*)"));
  std::vector<std::string> paths;
  for (const QString& file : files) paths.push_back(file.toStdString());
  if (!paths.empty()) open(paths);
}

void MainWindow::askForDirectory() {
  const QString directory = QFileDialog::getExistingDirectory(this, QStringLiteral("Open run directory"));
  if (!directory.isEmpty()) open({directory.toStdString()});
}

void MainWindow::askForPicture() {
  const QString file = QFileDialog::getSaveFileName(this, QStringLiteral("Save picture"), QStringLiteral("gantt.png"),
                                                    QStringLiteral("PNG (*.png)"));
  if (file.isEmpty()) return;
  if (!canvas_->grab().save(file, "PNG")) banner_->say(file + QStringLiteral(": can't be written"));
}

void MainWindow::escape() {
  banner_->hide();
  help_->hide();
  canvas_->clearSelection();
}

void MainWindow::toggleTheme() {
  theme_ = theme_ == Theme::kDark ? Theme::kLight : Theme::kDark;
  apply_theme(theme_);
  for (const auto& view : views_) view->setTheme(theme_);
}

void MainWindow::toggleHelp() {
  help_->toggle();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  std::vector<std::string> paths;
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) paths.push_back(url.toLocalFile().toStdString());
  if (paths.empty()) return;
  event->acceptProposedAction();
  open(paths);
}

}  // namespace moescope::gui
