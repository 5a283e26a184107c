// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_FLEET_LINE_SOCKET_H
#define SARTOR_TUNER_FLEET_LINE_SOCKET_H

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file/file_handle.h"
#include "base/result.h"

namespace sartor {

/// A Unix socket on which lines are exchanged. For use by one thread at a time, except for
/// hang_up().
class LineSocket {
public:
  /// Fails with store_unreachable.
  static Result<LineSocket> connect(const std::filesystem::path &path);

  /// Sends a line and returns the line of the answer, both without their ends. Fails with
  /// store_unreachable if the peer is gone, is silent for `patience`, or sends an answer that is
  /// too long; then the socket must not be used any more.
  Result<std::string> exchange(std::string_view line, std::chrono::milliseconds patience);

  /// Makes the current exchange and all later ones fail. May be called from any thread.
  void hang_up() const;

private:
  LineSocket(int handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  [[nodiscard]] std::unexpected<Failure> closed_by_program() const;
  [[nodiscard]] std::unexpected<Failure> lost(std::string why) const;

  base::FileHandle handle_;
  std::string path_;
};

} // namespace sartor

#endif
