// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LIVE_CONNECTION_H
#define SARTOR_TOOLS_CLI_LIVE_CONNECTION_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include <nlohmann/json.hpp>

#include "base/file/file_handle.h"
#include "base/result.h"

namespace sartor::cli {

/// A number that changes when the variants in a status do: they are asked for only then, as there
/// may be thousands.
std::uint64_t variants_mark(const nlohmann::ordered_json &status);

/// A connection to the control socket of a process of this user.
class Connection {
public:
  /// Fails with file_error if the process has no control socket, or does not answer.
  static Result<Connection> open(pid_t process);
  /// The processes of this user that have a control socket. Removes the sockets of processes that
  /// have ended.
  static std::vector<pid_t> processes();
  /// A process given by its number or, if the text is empty, the only one that has a socket. Fails
  /// with bad_argument, and with file_error if there is none.
  static Result<pid_t> find(const std::string &process);

  /// Sends a command, `{"do":"off","name":"blend"}`, and returns the answer. Fails with the error
  /// that the process answers, and with file_error if it ends or does not answer.
  Result<nlohmann::ordered_json> ask(nlohmann::ordered_json request);

private:
  Connection(pid_t process, base::FileHandle socket)
      : process_(process), socket_(std::move(socket)) {}
  Result<std::string> line();

  pid_t process_;
  base::FileHandle socket_;
  std::string received_;
};

} // namespace sartor::cli

#endif
