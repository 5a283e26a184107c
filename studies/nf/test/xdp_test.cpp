// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions in the kernel must treat each packet like native code, while their configuration
/// changes, and packets are forwarded between two interfaces.
#include <algorithm>
#include <map>
#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sartor/bpf/object.h>

#include "balancer_scenes.h"
#include "bridge_scenes.h"
#include "kernel.h"
#include "kernel_map.h"
#include "policer_scenes.h"
#include "settings.h"
#include "test_run.h"
#include "traces.h"
#include "variables.h"
#include "xdp_service.h"

SARTOR_BPF_OBJECT(clock_balancer)
SARTOR_BPF_OBJECT(clock_bridge)
SARTOR_BPF_OBJECT(clock_policer)

namespace nf {
namespace {

struct Case {
  const char *name;
  std::string_view (*object)();
  Frame (*frame)(std::mt19937_64 &, NfSide);
  std::string (*configuration)(std::mt19937_64 &);
};

const Case kCases[] = {
    {"balancer", clock_balancer_object, of_few, balancer_configuration},
    {"bridge", clock_bridge_object, between_few_stations, bridge_configuration},
    {"policer", clock_policer_object, to_few_hosts, policer_configuration},
};

std::uint8_t verdict_of(std::uint32_t action) {
  static const std::map<std::uint32_t, std::uint8_t> verdicts = {
      {XDP_REDIRECT, nf_pass_on}, {XDP_TX, nf_return}, {XDP_PASS, nf_keep}, {XDP_DROP, nf_drop}};
  const auto found = verdicts.find(action);
  EXPECT_NE(found, verdicts.end()) << action;
  return found == verdicts.end() ? std::uint8_t{0xff} : found->second;
}

class Xdp : public sartor::test::Kernel {
protected:
  /// Passes each packet to native code, and then to the active program in the kernel.
  static void compare(const Trace &trace, const XdpFunction &function, XdpService &service) {
    const xdp::Variables variables(service.runtime().map(".bss"));
    auto &clock = variables.get<std::uint64_t>("clock_now");
    MemoryIo io;
    for (const Arrival &arrival : trace) {
      if (arrival.bytes.size() < ETH_HLEN)
        continue; // too short for a test run of the kernel
      io.set_time(arrival.now);
      io.put(arrival.side, arrival.bytes);
      function.function.poll(&io.io(), arrival.side);
      const Sent sent = io.take().at(0);
      clock = arrival.now;
      const xdp::Ran ran = xdp::run(service.runtime().program(service.handler(arrival.side)),
                                    std::string(arrival.bytes.begin(), arrival.bytes.end()));
      ASSERT_EQ(verdict_of(ran.verdict), sent.verdict) << sent.number;
      ASSERT_TRUE(std::ranges::equal(ran.frame, sent.bytes, {}, [](char byte) {
        return static_cast<std::uint8_t>(byte);
      })) << sent.number;
    }
  }

  static void play(const Case &one, std::uint64_t seed, bool is_specialized) {
    const XdpFunction &function = *xdp_function_named(one.name);
    std::mt19937_64 random(seed);
    function.function.configure(toml::table{});
    function.function.forget(1024);
    XdpService service(function, one.object(), toml::parse(one.configuration(random)));
    for (const NfSide side : {nf_external, nf_internal}) // lo: no packet leaves
      service.runtime().update("ports", static_cast<std::uint32_t>(side), std::uint32_t{1});
    for (unsigned part = 0; part < 3; ++part) {
      if (part != 0)
        service.configure(toml::parse(one.configuration(random)));
      if (is_specialized)
        service.specialize();
      const Trace trace = random_trace(seed * 10 + part, 700, one.frame);
      compare(trace, function, service);
      function.function.sweep(trace.back().now);
      service.sweep(trace.back().now);
    }
    EXPECT_TRUE(std::ranges::equal(service.counts(),
                                   std::span(function.function.counts, service.counts().size())));
    service.sweep(~std::uint64_t{0} / 2);
    EXPECT_EQ(service.sweep(~std::uint64_t{0} / 2), 0U);
    EXPECT_TRUE(xdp::KernelMap(service.runtime().map(function.flows)).content().empty());
    function.function.forget(1);
  }
};

TEST_F(Xdp, DoesWhatNativeCodeDoes) {
  for (const Case &one : kCases) {
    SCOPED_TRACE(one.name);
    play(one, 1, false);
  }
}

TEST_F(Xdp, DoesTheSameSpecialized) {
  for (const Case &one : kCases) {
    SCOPED_TRACE(one.name);
    play(one, 2, true);
  }
}

TEST_F(Xdp, LeavesWhatIsActiveWhereAConfigurationIsRefused) {
  const XdpFunction &bridge = *xdp_function_named("bridge");
  XdpService service(bridge, bridge.object(), toml::parse("[bridge]\nmtu = 100"));
  EXPECT_THROW(service.configure(toml::parse("[bridge]\nmtu = 1")), BadConfiguration);
  EXPECT_THROW(service.configure(toml::parse("[policer]")), BadConfiguration);
  std::string frame(119, '\2');
  xdp::run(service.runtime().program("bridge_from_external"), frame);
  EXPECT_EQ(service.counts().at(5), 0U);
  EXPECT_STREQ(bridge.function.outcomes[7], "oversized");
  EXPECT_EQ(service.counts().at(7), 1U);
  EXPECT_EQ(xdp_function_named("router"), nullptr);
  EXPECT_THROW(service.attach("nowhere", "lo"), std::runtime_error);
}

/// A socket that receives all packets of an interface.
class Wire {
public:
  explicit Wire(const std::string &interface)
      : socket_(socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL))) {
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
    EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    const timeval patience{60, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Wire() { close(socket_); }
  Wire(const Wire &) = delete;
  Wire &operator=(const Wire &) = delete;

  void send(const Bytes &frame) const {
    EXPECT_EQ(write(socket_, frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
  }
  /// True if this frame arrives; the kernel's own frames are ignored.
  [[nodiscard]] bool receives(const Bytes &frame) const {
    Bytes read(2048);
    for (unsigned i = 0; i < 100; ++i) {
      const ssize_t bytes = recv(socket_, read.data(), read.size(), 0);
      if (bytes < 0)
        return false;
      if (std::ranges::equal(frame, std::span(read).first(static_cast<std::size_t>(bytes))))
        return true;
    }
    return false;
  }

private:
  int socket_;
};

TEST_F(Xdp, CarriesFramesFromOneInterfaceToTheOther) {
  make_interfaces("outside", "ours0");
  make_interfaces("inside", "ours1");
  // The kernel delivers redirected packets only to an interface that is polled.
  for (const char *end : {"outside", "inside"})
    if (command(std::string("ethtool -K ") + end + " gro on") != 0)
      GTEST_SKIP() << "ethtool is not there";
  const XdpFunction &bridge = *xdp_function_named("bridge");
  XdpService service(bridge, bridge.object(), toml::parse("[bridge]"));
  service.attach("ours0", "ours1");
  const Wire outside("outside");
  const Wire inside("inside");
  const Bytes there = bytes_of({.source = 1, .destination = 2});
  const Bytes back = bytes_of(
      {.source = 2, .destination = 1, .to = {2, 0, 0, 0, 0, 2}, .from = {2, 0, 0, 0, 0, 1}});
  outside.send(there);
  EXPECT_TRUE(inside.receives(there));
  inside.send(back);
  EXPECT_TRUE(outside.receives(back));
  service.specialize();
  outside.send(there);
  EXPECT_TRUE(inside.receives(there));
  service.detach();
  EXPECT_EQ(sartor::test::program_at("ours0"), 0U);
}

} // namespace
} // namespace nf
