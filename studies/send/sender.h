// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_SENDER_H
#define SEND_SENDER_H

#include <cstddef>
#include <utility>
#include <vector>

#include <sartor/sartor.hpp>

#include <lwip/sockets.h>

#include "quasi_invariants.h"
#include "within.h"

namespace sartor::send {

/// Sends on one connected lwIP socket: messages of some sizes with code specialized to the socket,
/// its destination, its route, its options and that size, as long as these do not change; all
/// others with lwIP's generic code. Does not wait for room: a stream takes the bytes that fit
/// (MSG_DONTWAIT).
///
/// Handlers are called within the monitor, and all writers to the stack hold it, too. So a thread
/// that invalidates a quasi-invariant there never has to wait for calls; and handlers must not
/// wait.
///
/// Destroy it outside of the monitor before the socket is closed. One thread at a time.
class Sender {
public:
  Sender(Runtime &runtime, int socket)
      : runtime_(runtime), socket_(socket), quasi_invariants_(socket) {}

  /// Specializes messages of that size from now on. Throws Error.
  void add(std::size_t size) { codes_.emplace_back(size, bind(size)); }

  /// As lwip_send(): returns the number of bytes taken, or -1 with errno.
  ssize_t operator()(const void *data, std::size_t size) const {
    const WithinMonitor within;
    for (const auto &[known, code] : codes_)
      if (known == size)
        return code(data);
    return lwip_send(socket_, data, size, MSG_DONTWAIT);
  }

  /// Waits until the quasi-invariants are valid and the code that depends on them is ready. False
  /// if this takes more than a minute. Throws Error if there is no such code.
  bool wait() {
    const bool hold = quasi_invariants_.wait_until_hold(std::chrono::seconds(60));
    for (auto &[size, code] : codes_) {
      // Binds again: wait() waits for a new binding's code, but not for background improvements.
      code = bind(size);
      code.wait();
    }
    return hold;
  }

  [[nodiscard]] const SocketQuasiInvariants &quasi_invariants() const noexcept {
    return quasi_invariants_;
  }

private:
  using Code =
      Binding<ssize_t(int, const void *, std::size_t, int), int, Unbound, std::size_t, int>;

  Code bind(std::size_t size) {
    return runtime_.bind<&lwip_send>(socket_, sartor::_, size, int{MSG_DONTWAIT});
  }

  Runtime &runtime_;
  int socket_;
  SocketQuasiInvariants quasi_invariants_;
  std::vector<std::pair<std::size_t, Code>> codes_;
};

} // namespace sartor::send

#endif
