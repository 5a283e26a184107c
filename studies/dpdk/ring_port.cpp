// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ring_port.h"

#include <bit>
#include <string>

#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ring.h>

namespace dpdk {

namespace {

rte_ring *make_ring(const std::string &name, std::size_t frames) {
  const auto slots = static_cast<unsigned>(std::bit_ceil(frames + 1)); // one stays empty
  rte_ring *const ring = rte_ring_create(name.c_str(), slots, static_cast<int>(rte_socket_id()),
                                         RING_F_SP_ENQ | RING_F_SC_DEQ);
  if (!ring)
    throw Error(name + ": " + rte_strerror(rte_errno));
  return ring;
}

} // namespace

RingPort::RingPort(Environment &environment, std::uint16_t number, std::size_t frames)
    : in(make_ring("in" + std::to_string(number), frames)),
      out(make_ring("out" + std::to_string(number), frames)) {
  const int made = rte_eth_from_rings(("lab" + std::to_string(number)).c_str(), &in, 1, &out, 1,
                                      rte_socket_id());
  if (made < 0)
    throw Error(std::string("no port from rings: ") + rte_strerror(rte_errno));
  id = static_cast<std::uint16_t>(made);
  environment.start(id);
}

} // namespace dpdk
