// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_CONVERSATION_H
#define ECHO_CONVERSATION_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "message.h"

namespace sartor::echo {

using Message = std::array<std::uint8_t, echo_usual>;

/// The requests of one client in an open loop, the oldest first: when each was meant to be sent,
/// whether it has been, and whether its answer is right.
class Conversation {
public:
  static constexpr std::uint32_t most = 64;          ///< Requests that are not answered.
  static constexpr std::uint32_t most_in_flight = 4; ///< Others wait.

  /// `client`: messages of different clients differ.
  explicit Conversation(std::uint32_t client) : client_(client) {}

  [[nodiscard]] bool is_full() const { return last_ - first_ == most; }
  /// A request that is meant to be sent at a time. Not if it is full.
  void mean(std::int64_t when) { meant_[last_++ % most] = when; }

  [[nodiscard]] bool may_send() const { return sent_ != last_ && sent_ - first_ < most_in_flight; }
  /// The request that may be sent; sent() says that it has been.
  [[nodiscard]] Message next() const { return message(sent_); }
  void sent() { ++sent_; }

  /// Bytes that have come. `answered` gets when each request was meant to be sent whose answer is
  /// complete. False if that is none.
  template <class Answered>
  bool take(std::span<const std::uint8_t> data, const Answered &answered) {
    for (const std::uint8_t byte : data) {
      answer_[got_++] = byte;
      if (got_ < answer_.size())
        continue;
      got_ = 0;
      Message expected = message(first_);
      echo_set_mark(expected.data(), echo_answer_mark);
      if (first_ == sent_ || answer_ != expected)
        return false;
      answered(meant_[first_++ % most]);
    }
    return true;
  }

private:
  [[nodiscard]] Message message(std::uint32_t number) const {
    Message bytes;
    echo_begin(bytes.data(), echo_usual, number);
    for (std::size_t i = echo_header; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(client_ * 31 + number + i);
    return bytes;
  }

  std::uint32_t client_;
  std::uint32_t first_ = 0, sent_ = 0, last_ = 0; // numbers of requests
  std::uint32_t got_ = 0;                         // bytes of the answer under way
  std::array<std::int64_t, most> meant_{};
  Message answer_{};
};

} // namespace sartor::echo

#endif
