// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_CONTROL_SOCKET_H
#define SARTOR_TOOLS_VIEW_CONTROL_SOCKET_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <sys/types.h>

#include <nlohmann/json.hpp>

#include "base/file_handle.h"
#include "base/result.h"

namespace sartor::view {

/// The control socket of a process of this user.
std::filesystem::path control_socket_of(pid_t process);

/// A connection to the control socket of a program: requests and answers are one JSON object per
/// line.
class ControlSocket {
public:
  /// Fails with file_error, also if another user listens there.
  static Result<ControlSocket> connect(pid_t process);

  /// Fails with file_error, with bad_json, and with the failure that the program answers. The
  /// connection cannot be used after a file_error.
  Result<nlohmann::ordered_json> ask(const nlohmann::ordered_json &request);

private:
  ControlSocket(pid_t process, base::FileHandle socket)
      : process_(process), socket_(std::move(socket)) {}

  [[nodiscard]] bool send_line(std::string_view line);
  /// Returns nothing if the program does not answer.
  Result<std::string> receive_line();

  pid_t process_;
  base::FileHandle socket_;
  std::string received_; ///< Beyond the last line.
};

} // namespace sartor::view

#endif
