// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nat_fixture.h"

namespace nf {

NatTest::NatTest() {
  nat_config = {
      .forwards = {{.outside = {turned(ours), turned(std::uint16_t{443}), tcp, 0},
                    .inside = {turned(other_host), turned(std::uint16_t{8443}), tcp, 0}}},
      .addresses = {turned(ours)},
      .timers = {300 * second, 7440 * second, 240 * second, 60 * second},
      .forward_count = 1,
      .address_count = 1,
      .network = turned(0x0a000000U),
      .mask = turned(0xff000000U),
      .least_port = 1024,
      .most_port = 65535,
      .by_address = 0,
      .macs = {{{2, 0, 0, 0, 1, 1}, {2, 0, 0, 0, 1, 2}}, {{2, 0, 0, 0, 2, 1}, {2, 0, 0, 0, 2, 2}}}};
  nat_forget(1024);
}

NatTest::~NatTest() {
  nat_inside_free(&nat_state.inside);
  nat_outside_free(&nat_state.outside);
  nat_peers_free(&nat_state.peers);
  nat_fragments_free(&nat_state.fragments);
}

std::optional<Frame> NatTest::put(NfSide side, const Bytes &bytes) {
  io_.set_time(now_);
  io_.put(side, bytes);
  EXPECT_EQ(nat_poll(&io_.io(), side), 1U);
  const Sent sent = io_.take().at(0);
  verdict_ = sent.verdict;
  if (verdict_ == nf_drop)
    return {};
  EXPECT_TRUE(has_right_checksums(sent.bytes));
  return read_frame(sent.bytes);
}

std::uint16_t NatTest::port_of(std::uint32_t source, std::uint16_t port,
                               std::uint32_t destination) {
  const auto left = leave(
      {.source = source, .destination = destination, .source_port = port, .destination_port = 53});
  return left ? left->source_port : std::uint16_t{0};
}

bool NatTest::answers(std::uint16_t port, std::uint32_t source, std::uint16_t source_port) {
  return enter({.source = source,
                .destination = ours,
                .source_port = source_port,
                .destination_port = port})
      .has_value();
}

void NatTest::expect_consistent() {
  std::uint32_t slots = 0;
  for (std::uint32_t i = 0; i <= nat_state.inside.mask + nf_window; ++i) {
    if (!nat_state.inside.tags[i])
      continue;
    ++slots;
    const auto &[inside, mapping] = nat_state.inside.slots[i];
    const NfEndpoint *const back =
        nat_outside_find(&nat_state.outside, &mapping.outside,
                         nat_outside_hash(&nat_state.outside, &mapping.outside), nf_window);
    ASSERT_TRUE(back);
    EXPECT_EQ(memcmp(back, &inside, sizeof inside), 0);
  }
  EXPECT_EQ(slots, nat_state.inside.count);
  EXPECT_EQ(nat_state.outside.count, nat_state.inside.count);
}

} // namespace nf
