// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_LINK_H
#define ROUTER_LINK_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wire.h"

namespace router {

/// A network interface, read and written frame by frame through the kernel. Needs CAP_NET_RAW.
class Link {
public:
  /// Throws std::system_error.
  explicit Link(const std::string &interface);
  ~Link();
  Link(Link &&other) noexcept;
  Link &operator=(Link &&) = delete;

  [[nodiscard]] const Mac &mac() const { return mac_; }
  /// For poll().
  [[nodiscard]] int descriptor() const { return socket_; }

  /// Throws std::system_error.
  void send(std::span<const std::uint8_t> frame) const;
  /// A received frame; empty if there is none. Valid until the next call.
  [[nodiscard]] std::span<const std::uint8_t> receive();

private:
  int socket_ = -1;
  Mac mac_{};
  std::vector<std::uint8_t> buffer_;
};

} // namespace router

#endif
