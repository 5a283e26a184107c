// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "environment.h"

#include <algorithm>

#include <sched.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

namespace dpdk {

namespace {

constexpr unsigned pool_size = 8191; // mempools use memory best with a power of two minus one
constexpr unsigned pool_cache = 250;
constexpr std::uint16_t queue_length = 512;

void check(int result, const std::string &what) {
  if (result < 0)
    throw Error(what + ": " + rte_strerror(-result));
}

} // namespace

Environment::Environment(const std::vector<std::string> &devices) {
  // DPDK binds the calling thread to one processor; threads that it starts later (Sartor's
  // compilers) inherit that.
  cpu_set_t processors;
  sched_getaffinity(0, sizeof processors, &processors);
  int first = 0;
  while (!CPU_ISSET(first, &processors))
    ++first;

  std::vector<std::string> words{"sartor",         "--no-huge",   "-m",   "64",
                                 "--no-pci",       "--no-shconf", "-l",   std::to_string(first),
                                 "--no-telemetry", "--log-level", "error"};
  for (const std::string &device : devices)
    words.push_back("--vdev=" + device);
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  if (rte_eal_init(static_cast<int>(arguments.size()), arguments.data()) < 0)
    throw Error(std::string("DPDK does not start: ") + rte_strerror(rte_errno));
  sched_setaffinity(0, sizeof processors, &processors);

  pool_ = rte_pktmbuf_pool_create("frames", pool_size, pool_cache, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
                                  static_cast<int>(rte_socket_id()));
  if (!pool_)
    throw Error(std::string("no memory for frames: ") + rte_strerror(rte_errno));
}

Environment::~Environment() {
  for (const std::uint16_t port : started_) {
    rte_eth_dev_stop(port);
    rte_eth_dev_close(port);
  }
  rte_mempool_free(pool_);
  rte_eal_cleanup();
}

void Environment::start(std::uint16_t port) {
  const std::string name = "port " + std::to_string(port);
  const rte_eth_conf configuration{};
  check(rte_eth_dev_configure(port, 1, 1, &configuration), name);
  const int socket = rte_eth_dev_socket_id(port);
  const unsigned where = socket < 0 ? rte_socket_id() : static_cast<unsigned>(socket);
  check(rte_eth_rx_queue_setup(port, 0, queue_length, where, nullptr, pool_), name);
  check(rte_eth_tx_queue_setup(port, 0, queue_length, where, nullptr), name);
  check(rte_eth_dev_start(port), name);
  started_.push_back(port);
}

std::uint16_t Environment::start(const std::string &device) {
  std::uint16_t port = 0;
  check(rte_eth_dev_get_port_by_name(device.substr(0, device.find(',')).c_str(), &port), device);
  start(port);
  return port;
}

std::array<std::uint8_t, 6> mac_of(std::uint16_t port) {
  rte_ether_addr address;
  check(rte_eth_macaddr_get(port, &address), "port " + std::to_string(port));
  std::array<std::uint8_t, 6> mac;
  std::copy(std::begin(address.addr_bytes), std::end(address.addr_bytes), mac.begin());
  return mac;
}

} // namespace dpdk
