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

/// The requests of one client in an open loop, the oldest first: the scheduled time of each,
/// whether it has been sent, and whether its answer is correct.
class Conversation {
public:
  static constexpr std::uint32_t most = 64;          ///< Maximum number of unanswered requests.
  static constexpr std::uint32_t most_in_flight = 4; ///< Maximum number of requests in flight.

  /// `client` makes the messages of clients differ.
  explicit Conversation(std::uint32_t client) : client_(client) {}

  [[nodiscard]] bool is_full() const { return last_ - first_ == most; }
  /// Adds a request scheduled for `when`. The conversation must not be full.
  void mean(std::int64_t when) { meant_[last_++ % most] = when; }

  [[nodiscard]] bool may_send() const { return sent_ != last_ && sent_ - first_ < most_in_flight; }
  /// The request to send next; sent() marks it as sent.
  [[nodiscard]] Message next() const { return message(sent_); }
  void sent() { ++sent_; }

  /// Processes received bytes. Calls `answered` with the scheduled time of each request whose
  /// answer is complete. False if the bytes are not the expected answer.
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
  std::uint32_t first_ = 0, sent_ = 0, last_ = 0; // sequence numbers of requests
  std::uint32_t got_ = 0;                         // bytes received of the current answer
  std::array<std::int64_t, most> meant_{};
  Message answer_{};
};

} // namespace sartor::echo

#endif
