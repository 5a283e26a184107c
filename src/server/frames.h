// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SERVER_FRAMES_H
#define SARTOR_SERVER_FRAMES_H

#include <cstddef>
#include <optional>
#include <string_view>

#include "observe/result.h"
#include "remote/channel.h"
#include "server/wire.h"

namespace sartor::server {

/// Bytes that are being received, of all together.
class Budget {
public:
  explicit Budget(std::size_t most) : left_(most) {}

  /// Gives back when it goes. Empty if there was not as much.
  class Share {
  public:
    Share() = default;
    Share(Budget &budget, std::size_t bytes) : budget_(&budget), bytes_(bytes) {}
    Share(Share &&other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
    Share &operator=(Share &&other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (budget_)
        budget_->left_ += bytes_;
    }
    explicit operator bool() const { return budget_ != nullptr; }

  private:
    Budget *budget_ = nullptr;
    std::size_t bytes_ = 0;
  };
  Share take(std::size_t bytes) {
    if (bytes > left_)
      return {};
    left_ -= bytes;
    return {*this, bytes};
  }

private:
  std::size_t left_;
};

/// A frame, and the memory that it takes.
struct Received {
  remote::Frame frame;
  Budget::Share share;
};

/// What may be received.
struct Limits {
  std::size_t most_bytes;             ///< Of one frame.
  std::chrono::milliseconds patience; ///< From a frame's beginning to its end.
};

/// Nothing where the other side has gone between two frames. Fails with compiler_lost where it has
/// gone within one, or is too slow, and with server_refused for what is no frame, is too large, or
/// where there is no memory for it now.
asio::awaitable<Result<std::optional<Received>>> receive(Wire &wire, Limits limits, Budget &budget);

/// Whether all has been taken.
asio::awaitable<bool> send(Wire &wire, remote::Kind kind, std::string_view body);

} // namespace sartor::server

#endif
