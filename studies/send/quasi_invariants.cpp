// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "quasi_invariants.h"

#include <algorithm>
#include <stdexcept>

#include <lwip/api.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/sockets.h>
#include <lwip/udp.h>
extern "C" { // some of lwIP's headers lack it
#include <lwip/priv/sockets_priv.h>
}

#include "driver.h"
#include "within.h"

namespace sartor::send {

namespace {

const netconn &connection_of(int socket) {
  const lwip_sock *found = lwip_socket_dbg_get_socket(socket);
  if (found == nullptr || found->conn == nullptr)
    throw std::invalid_argument("the socket is not open");
  return *found->conn;
}

// lwIP may close a connection by itself and reuse its memory for another one, whose writes must not
// be refused.
QuasiInvariantOptions refusing(const netconn &connection) {
  QuasiInvariantOptions options;
  options.refuse = [&connection, block = connection.pcb.ip](void *, std::size_t) {
    return connection.pcb.ip == block;
  };
  return options;
}

// Fields that protocol control blocks of all kinds have.
template <class Block>
void add_common(QuasiInvariant &options, QuasiInvariant &destination, const Block &block) {
  options.add_fields(block, &Block::netif_idx, &Block::so_options, &Block::tos, &Block::ttl);
  destination.add_fields(block, &Block::local_ip, &Block::remote_ip, &Block::local_port,
                         &Block::remote_port);
}

} // namespace

QuasiInvariant route_quasi_invariant() {
  const WithinMonitor within;
  QuasiInvariant route("route");
  for (const netif *each = netif_list; each != nullptr; each = each->next)
    route.add_fields(*each, &netif::next, &netif::ip_addr, &netif::netmask, &netif::gw,
                     &netif::output, &netif::linkoutput, &netif::state, &netif::mtu, &netif::hwaddr,
                     &netif::hwaddr_len, &netif::flags, &netif::num);
  return route;
}

SocketQuasiInvariants::SocketQuasiInvariants(int socket)
    : open_("open"), options_("options", refusing(connection_of(socket))),
      destination_("destination") {
  const WithinMonitor within;
  const netconn &connection = connection_of(socket);
  open_.add_fields(*lwip_socket_dbg_get_socket(socket), &lwip_sock::conn);
  open_.add_fields(connection, &netconn::type, &netconn::pcb);
  options_.add_fields(connection, &netconn::send_timeout);
  // lwip_setsockopt() writes them through this type.
  options_.add_fields(*connection.pcb.ip, &ip_pcb::so_options, &ip_pcb::tos, &ip_pcb::ttl);
  if (NETCONNTYPE_GROUP(connection.type) == NETCONN_UDP) {
    const udp_pcb &block = *connection.pcb.udp;
    add_common(options_, destination_, block);
    options_.add_fields(block, &udp_pcb::mcast_ip4, &udp_pcb::mcast_ifindex, &udp_pcb::mcast_ttl);
    destination_.add_fields(block, &udp_pcb::flags);
  } else if (NETCONNTYPE_GROUP(connection.type) == NETCONN_TCP) {
    const tcp_pcb &block = *connection.pcb.tcp;
    add_common(options_, destination_, block);
    destination_.add_fields(block, &tcp_pcb::state);
    segments_ = std::make_unique<QuasiInvariant>("segments");
    segments_->add_fields(block, &tcp_pcb::mss, &tcp_pcb::snd_wnd_max);
  } else {
    throw std::invalid_argument("only UDP and TCP sockets are specialized");
  }
}

bool SocketQuasiInvariants::wait_until_hold(std::chrono::nanoseconds at_most) const {
  return open_.wait_until_valid(at_most) && options_.wait_until_valid(at_most) &&
         destination_.wait_until_valid(at_most) &&
         (!segments_ || segments_->wait_until_valid(at_most));
}

QuasiInvariantFigures SocketQuasiInvariants::figures() const {
  QuasiInvariantFigures all;
  all.watched = true;
  const QuasiInvariant *segments = segments_.get();
  for (const QuasiInvariant *quasi_invariant :
       std::initializer_list<const QuasiInvariant *>{&open_, &options_, &destination_, segments}) {
    if (quasi_invariant == nullptr)
      continue;
    const QuasiInvariantFigures one = quasi_invariant->figures();
    all.invalidated += one.invalidated;
    all.refused += one.refused;
    all.held += one.held;
    all.invalidation_nanoseconds += one.invalidation_nanoseconds;
    all.longest_invalidation_nanoseconds =
        std::max(all.longest_invalidation_nanoseconds, one.longest_invalidation_nanoseconds);
    all.watched = all.watched && one.watched;
  }
  return all;
}

} // namespace sartor::send
