// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_CLIENT_H
#define SARTOR_TEST_CLIENT_H

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <sys/types.h>

/// A client of a control socket, which knows only the protocol.
class Client {
public:
  /// Waits until the process has a socket in $XDG_RUNTIME_DIR/sartor.
  explicit Client(pid_t process);
  ~Client();
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  static std::filesystem::path path_of(pid_t process);

  [[nodiscard]] bool is_connected() const { return socket_ >= 0; }
  void send(std::string_view text) const;
  /// The next line; empty if the connection has ended, or nothing comes within a minute.
  std::string line();
  /// Sends a command with the right version, and returns the answer.
  nlohmann::json ask(nlohmann::json request);

private:
  int socket_ = -1;
  std::string received_;
};

#endif
