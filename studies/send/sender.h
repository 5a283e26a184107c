// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_SENDER_H
#define SEND_SENDER_H

#include <cstddef>
#include <utility>
#include <vector>

#include <sartor/sartor.hpp>

#include <lwip/sockets.h>

#include "facts.h"
#include "within.h"

namespace sartor::send {

/// Sends on one connected socket of lwIP's: messages of some sizes by code that is made for the
/// socket, its destination, its route, its options and that size, as long as these stay; all others
/// by lwIP as it is. Never waits for room: a stream takes what fits (MSG_DONTWAIT).
///
/// Handlers are called within the monitor, and whoever writes to the stack is within it, too. So a
/// thread that breaks a fact there has no call of theirs to wait for; and none of them may wait.
///
/// To be destroyed, outside of the monitor, before the socket is closed. One thread at a time.
class Sender {
public:
  Sender(Runtime &runtime, int socket) : runtime_(runtime), socket_(socket), facts_(socket) {}

  /// From now on, messages of that size have code of their own. Throws Error.
  void add(std::size_t size) { codes_.emplace_back(size, bind(size)); }

  /// As lwip_send(): the bytes that were taken, or -1 and errno.
  ssize_t operator()(const void *data, std::size_t size) const {
    const WithinMonitor within;
    for (const auto &[known, code] : codes_)
      if (known == size)
        return code(data);
    return lwip_send(socket_, data, size, MSG_DONTWAIT);
  }

  /// Waits until the facts hold and the code that is made with them is there. False if they do not
  /// within a minute. Throws Error if there is no such code.
  bool wait() {
    const bool hold = facts_.wait_until_hold(std::chrono::seconds(60));
    for (auto &[size, code] : codes_) {
      // The code that is there becomes better by itself, some time; that of a new binding is waited
      // for.
      code = bind(size);
      code.wait();
    }
    return hold;
  }

  [[nodiscard]] const SocketFacts &facts() const noexcept { return facts_; }

private:
  using Code =
      Binding<ssize_t(int, const void *, std::size_t, int), int, Unbound, std::size_t, int>;

  Code bind(std::size_t size) {
    return runtime_.bind<&lwip_send>(socket_, sartor::_, size, int{MSG_DONTWAIT});
  }

  Runtime &runtime_;
  int socket_;
  SocketFacts facts_;
  std::vector<std::pair<std::size_t, Code>> codes_;
};

} // namespace sartor::send

#endif
