// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/connections.h"

#include <algorithm>
#include <utility>

namespace sartor::server {

Connections::Entry::Entry(Connections &all, Peer peer, ServerKey key, Wire &wire)
    : all_(all), here_(all.list_.insert(all.list_.end(), {.id = ++all.last_id_,
                                                          .peer = std::move(peer),
                                                          .server_key = std::move(key),
                                                          .wire = &wire,
                                                          .since = std::time(nullptr)})) {}

std::size_t Connections::busy() const {
  return static_cast<std::size_t>(std::ranges::count_if(list_, &Connection::is_busy));
}

std::size_t Connections::close_unknown(const Clients &clients,
                                       std::span<const base::SecretKey> keys) {
  const auto is_known = [&](const Connection &each) {
    if (std::ranges::find(keys, each.server_key->public_key(), &base::SecretKey::public_key) ==
        keys.end())
      return false;
    const Identity *known = each.peer.key ? clients.find(*each.peer.key) : &each.peer.identity;
    return known && *known == each.peer.identity;
  };
  std::size_t closed = 0;
  for (const Connection &each : list_)
    if (!is_known(each)) {
      each.wire->close();
      ++closed;
    }
  return closed;
}

void Connections::close_idle() {
  for (const Connection &each : list_)
    if (!each.is_busy)
      each.wire->close();
}

} // namespace sartor::server
