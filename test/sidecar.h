// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SIDECAR_H
#define SARTOR_TEST_SIDECAR_H

#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "paths.h"
#include "tuner/fleet/line_socket.h"

namespace sartor::testing_aids {

/// A sidecar (scripts/sidecar.sh) that stops when the object is destroyed. Waits for a Redis for up
/// to a minute, because a busy machine may stop that for a while.
class Sidecar {
public:
  Sidecar(const std::string &storage, const std::filesystem::path &path, double lease = 60)
      : path_(path) {
    const std::string patience =
        storage.starts_with("unix:") ? "?socket_timeout=60&socket_connect_timeout=60" : "";
    std::string command = std::string("exec ") + paths::sidecar_script() + " --storage '" +
                          storage + patience + "' --socket " + path.string() + " --lease " +
                          std::to_string(lease) + " 2>>" + path.string() + ".log";
    std::string shell = "sh";
    std::string option = "-c";
    char *const arguments[] = {shell.data(), option.data(), command.data(), nullptr};
    if (posix_spawn(&process_, "/bin/sh", nullptr, nullptr, arguments, environ) != 0)
      throw std::runtime_error("cannot start a sidecar");
    for (int i = 0; i < 6000 && !is_missing_ && !LineSocket::connect(path_); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      int status = 0;
      if (waitpid(process_, &status, WNOHANG) == process_) {
        process_ = 0;
        is_missing_ = WIFEXITED(status) && WEXITSTATUS(status) == 77;
        if (!is_missing_)
          throw std::runtime_error("the sidecar has ended; see " + path.string() + ".log");
      }
    }
  }
  ~Sidecar() { end(SIGTERM); }
  Sidecar(const Sidecar &) = delete;
  Sidecar &operator=(const Sidecar &) = delete;

  /// True if its Python packages cannot be installed here.
  [[nodiscard]] bool is_missing() const { return is_missing_; }
  void end(int signal) {
    if (process_ > 0) {
      kill(process_, signal);
      waitpid(process_, nullptr, 0);
    }
    process_ = 0;
  }

private:
  std::filesystem::path path_;
  pid_t process_ = 0;
  bool is_missing_ = false;
};

} // namespace sartor::testing_aids

#endif
