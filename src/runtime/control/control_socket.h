// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CONTROL_CONTROL_SOCKET_H
#define SARTOR_RUNTIME_CONTROL_CONTROL_SOCKET_H

#include <chrono>
#include <filesystem>
#include <list>
#include <optional>
#include <string>

#include "base/file/file_handle.h"
#include "base/life.h"
#include "base/result.h"
#include "base/thread/mutex.h"
#include "runtime/control/metrics_file.h"

namespace sartor {

/// The control socket of the process, and the thread that answers requests and writes the file of
/// metrics. A child process has a socket of its own (for the file, see MetricsFile). Nothing exists
/// before the first open() or write_metrics(). Thread-safe. Never destroyed.
class ControlSocket final : base::Resident {
public:
  static ControlSocket &instance();

  /// Opens the socket, unless it is open. A failure is reported to the event logs and on standard
  /// error: the program continues without it.
  void open() SARTOR_EXCLUDES(base::any_mutex);
  /// Writes the metrics to a file from now on.
  void write_metrics(const std::filesystem::path &file) SARTOR_EXCLUDES(base::any_mutex);

private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    base::FileHandle handle;
    std::string request; ///< What has been received of a line.
  };

  ControlSocket();
  Result<void> start() SARTOR_REQUIRES(mutex_);
  Result<void> listen() SARTOR_EXCLUDES(mutex_);
  void run();
  /// Returns false if the process exits.
  bool set_waits(bool waits) SARTOR_EXCLUDES(mutex_);
  /// Listens again if the program has closed the socket, or its file was removed.
  void look_after();
  void accept_client();
  /// False if the client is to be disconnected.
  bool serve(Client &client);
  /// Writes the file of metrics if that is due. Returns when to call it again.
  Clock::time_point write_metrics_file();
  void after_fork_in_child() override;
  void resume_in_child() override;
  void exit_begins() override;
  bool has_ended() override;
  void is_left() override;

  base::Mutex mutex_;
  bool wants_socket_ SARTOR_GUARDED_BY(mutex_) = false;
  MetricsFile metrics_file_ SARTOR_GUARDED_BY(mutex_);
  std::filesystem::path path_ SARTOR_GUARDED_BY(mutex_); ///< Of the socket; empty if there is none.
  bool running_ SARTOR_GUARDED_BY(mutex_) = false;
  bool exiting_ SARTOR_GUARDED_BY(mutex_) = false;
  /// The thread waits for work, and does none before it has read `exiting_`.
  bool waits_ SARTOR_GUARDED_BY(mutex_) = false;
  std::optional<base::FileHandle> wake_ SARTOR_GUARDED_BY(mutex_);

  // Used by the thread only. It changes the first two with the lock held, so that fork() finds them
  // whole.
  std::optional<base::FileHandle> listener_;
  std::list<Client> clients_;
  Clock::time_point next_look_{};
  bool metrics_failed_ = false; ///< Which has been reported.
};

} // namespace sartor

#endif
