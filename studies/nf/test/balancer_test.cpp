// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Destinations of the frames that clients and back ends send, while back ends are added and
/// removed. Variants must behave like native code.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "balancer_control.h"
#include "balancer_state.h"
#include "memory_io.h"
#include "parse.h"

namespace nf {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint32_t kClient = 0xc6120001;
constexpr std::uint32_t kVip = 0xc0000201;
constexpr std::uint32_t kDirectVip = 0xc0000202;
constexpr std::uint32_t kBackEnd = 0x0a000000; ///< The address before that of the first back end.
constexpr std::uint16_t kMore = 0x2000;
constexpr std::uint8_t kSyn = 2;

std::string back_end(unsigned number, const std::string &more = "") {
  const std::string digits = std::to_string(number);
  return "[[vip.back_end]]\naddress = \"10.0.0." + digits +
         "\"\nmac = \"02:00:00:00:00:" + (number < 10 ? "0" : "") + digits + "\"\n" + more;
}

std::string vip(const std::string &address, const std::string &protocol, const std::string &mode,
                const std::string &back_ends) {
  return "[[vip]]\naddress = \"" + address + "\"\nport = 80\nprotocol = \"" + protocol +
         "\"\nmode = \"" + mode + "\"\n" + back_ends;
}

std::string web(const std::string &back_ends) {
  return "lookup_size = 251\ntcp_timeout = 100\nudp_timeout = 10\nfragment_timeout = 5\n" +
         vip("192.0.2.1", "tcp", "translate", back_ends);
}

std::string three(const std::string &second = "") {
  return back_end(1, "port = 8080\n") + back_end(2, "port = 8080\n" + second) +
         back_end(3, "port = 8080\n");
}

void configure(const std::string &text) { balancer_function.configure(toml::parse(text)); }

void forget_in(std::uint32_t slots) {
  balancer_function.forget(16);
  balancer_flows_free(&balancer_state.flows);
  ASSERT_TRUE(balancer_flows_make(&balancer_state.flows, slots, 7));
}

Frame to_web(std::uint16_t port, std::uint8_t flags = 0x10) {
  return {.source = kClient,
          .destination = kVip,
          .protocol = IPPROTO_TCP,
          .source_port = port,
          .destination_port = 80,
          .tcp_flags = flags,
          .payload = {1, 2, 3}};
}

std::uint32_t address_at(const Bytes &frame, std::size_t at) {
  return static_cast<std::uint32_t>(frame[at]) << 24U |
         static_cast<std::uint32_t>(frame[at + 1]) << 16U |
         static_cast<std::uint32_t>(frame[at + 2]) << 8U | frame[at + 3];
}
std::uint32_t source_of(const Bytes &frame) { return address_at(frame, at_ip + 12); }
std::uint32_t destination_of(const Bytes &frame) { return address_at(frame, at_ip + 16); }

class Balancer : public testing::Test {
protected:
  Balancer() {
    configure("");
    configure(web(three()));
    forget_in(4096);
  }
  ~Balancer() override { balancer_flows_free(&balancer_state.flows); }

  Sent send(Bytes frame, NfSide side = nf_external) {
    io_.set_time(now_);
    io_.put(side, std::move(frame));
    EXPECT_EQ(balancer_poll(&io_.io(), side), 1U);
    Sent sent = io_.take().at(0);
    if (sent.verdict == nf_pass_on) {
      EXPECT_TRUE(has_right_checksums(sent.bytes));
    }
    return sent;
  }
  Sent send(const Frame &frame, NfSide side = nf_external) { return send(bytes_of(frame), side); }

  /// The back end: 1, 2 or 3; 0: none.
  std::uint32_t back_end_of(const Frame &frame) {
    const Sent sent = send(frame);
    return sent.verdict == nf_pass_on ? destination_of(sent.bytes) - kBackEnd : 0;
  }
  std::map<std::uint16_t, std::uint32_t> flows(std::uint8_t flags = 0x10) {
    std::map<std::uint16_t, std::uint32_t> all;
    for (std::uint16_t port = 1000; port < 1300; ++port)
      all[port] = back_end_of(to_web(port, flags));
    return all;
  }
  static std::uint64_t count(BalancerOutcome outcome) { return balancer_state.counts[outcome]; }

  MemoryIo io_;
  std::uint64_t now_ = kSecond;
};

TEST_F(Balancer, TranslatesThereAndBack) {
  const Frame frame = to_web(1000, kSyn);
  const Sent sent = send(frame);
  const std::uint32_t chosen = destination_of(sent.bytes);
  Frame wanted = frame;
  wanted.destination = chosen;
  wanted.destination_port = 8080;
  wanted.to = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(chosen - kBackEnd)};
  EXPECT_EQ(sent.bytes, bytes_of(wanted));
  EXPECT_EQ(count(balancer_begun), 1U);
  Frame answer = to_web(8080);
  std::swap(answer.source, answer.destination);
  answer.source = chosen;
  answer.destination_port = 1000;
  Frame wanted_answer = answer;
  wanted_answer.source = kVip;
  wanted_answer.source_port = 80;
  EXPECT_EQ(send(answer, nf_internal).bytes, bytes_of(wanted_answer));
  EXPECT_EQ(count(balancer_replied), 1U);
}

TEST_F(Balancer, LeavesWhatBackEndsSendOnTheirOwn) {
  send(to_web(1000));
  Frame own = {.source = kBackEnd + 1, .destination = kClient, .protocol = IPPROTO_TCP};
  own.source_port = 8080;
  own.destination_port = 999; // belongs to no flow
  EXPECT_EQ(send(own, nf_internal).bytes, bytes_of(own));
  own.source_port = 8081; // not the service's port
  own.destination_port = 1000;
  EXPECT_EQ(send(own, nf_internal).bytes, bytes_of(own));
  EXPECT_EQ(count(balancer_passed), 2U);
}

TEST_F(Balancer, LeavesTheAddressWhereBackEndsAnswerThemselves) {
  configure(vip("192.0.2.2", "udp", "direct", back_end(7)));
  Frame frame = {
      .source = kClient, .destination = kDirectVip, .source_port = 5, .destination_port = 80};
  const Sent sent = send(frame);
  frame.to = {2, 0, 0, 0, 0, 7};
  EXPECT_EQ(sent.bytes, bytes_of(frame));
  Frame answer = frame; // a back end answers with this address itself
  std::swap(answer.source, answer.destination);
  std::swap(answer.source_port, answer.destination_port);
  EXPECT_EQ(send(answer, nf_internal).bytes, bytes_of(answer));
}

TEST_F(Balancer, KeepsUdpWithoutAChecksum) {
  configure(vip("192.0.2.1", "udp", "translate", back_end(1)));
  const Sent sent = send({.source = kClient,
                          .destination = kVip,
                          .source_port = 5,
                          .destination_port = 80,
                          .has_udp_checksum = false});
  EXPECT_EQ(destination_of(sent.bytes), kBackEnd + 1);
  EXPECT_EQ(nf_load16(&sent.bytes[at_ip + 26]), 0);
}

TEST_F(Balancer, KeepsFlowsAndGivesAllBackEndsSome) {
  const auto begun = flows(kSyn);
  EXPECT_EQ(flows(), begun);
  EXPECT_EQ(count(balancer_forwarded), 300U);
  std::map<std::uint32_t, unsigned> loads;
  for (const auto &[port, one] : begun)
    ++loads[one];
  for (const std::uint32_t one : {1U, 2U, 3U})
    EXPECT_GT(loads[one], 70U);
}

TEST_F(Balancer, MovesTheFlowsOfABackEndThatIsGoneAndNoOthers) {
  const auto begun = flows();
  for (const std::string &without :
       {web(three("health = \"down\"\n")),
        web(back_end(1, "port = 8080\n") + back_end(3, "port = 8080\n"))}) {
    forget_in(4096);
    configure(web(three()));
    ASSERT_EQ(flows(), begun);
    configure(without);
    for (const auto &[port, one] : flows())
      if (begun.at(port) == 2)
        EXPECT_NE(one, 2U);
      else
        EXPECT_EQ(one, begun.at(port));
    EXPECT_GT(count(balancer_moved), 70U);
  }
}

TEST_F(Balancer, KeepsFlowsWhenOneComes) {
  configure(web(back_end(1, "port = 8080\n") + back_end(3, "port = 8080\n")));
  const auto begun = flows();
  configure(web(three()));
  EXPECT_EQ(flows(), begun);
  forget_in(4096);
  EXPECT_NE(flows(), begun);
}

TEST_F(Balancer, DrainsABackEnd) {
  const auto begun = flows();
  configure(web(three("health = \"draining\"\n")));
  EXPECT_EQ(flows(), begun);
  for (const auto &[port, one] : flows(kSyn)) // other flows with the same ports
    EXPECT_NE(one, 2U);
}

// Another back end in the same position does not get its flows.
TEST_F(Balancer, DoesNotTakeAPlaceForTheBackEndThatHadIt) {
  const auto begun = flows();
  configure(web(back_end(1, "port = 8080\n") + back_end(4, "port = 8080\n") +
                back_end(3, "port = 8080\n")));
  const auto after = flows();
  for (const auto &[port, one] : begun)
    EXPECT_TRUE(one == 2 ? after.at(port) != 2 : after.at(port) == one);
  EXPECT_EQ(balancer_config.back_end_count, 3U);
  EXPECT_GT(count(balancer_moved), 70U);
}

TEST_F(Balancer, DropsWhereThereIsNobody) {
  flows();
  configure(web(""));
  EXPECT_EQ(back_end_of(to_web(1000)), 0U);
  EXPECT_EQ(count(balancer_no_back_end), 1U);
  Frame other = to_web(1000);
  other.destination_port = 81;
  EXPECT_EQ(send(other).verdict, nf_drop);
  other.protocol = 47;
  EXPECT_EQ(send(other).verdict, nf_drop);
  EXPECT_EQ(count(balancer_no_service), 2U);
}

TEST_F(Balancer, LetsPassWhatIsNotItsBusiness) {
  Frame other = to_web(1000);
  other.destination = kVip + 100;
  EXPECT_EQ(send(other).bytes, bytes_of(other));
  other.fragment = 1;
  EXPECT_EQ(send(other).verdict, nf_pass_on);
  other.protocol = 47;
  EXPECT_EQ(send(other).verdict, nf_pass_on);
  Bytes arp = bytes_of(other);
  arp[13] = 6;
  EXPECT_EQ(send(other, nf_internal).verdict, nf_pass_on);
  io_.put(nf_external, arp);
  balancer_poll(&io_.io(), nf_external);
  EXPECT_EQ(io_.take().at(0).verdict, nf_pass_on);
  EXPECT_EQ(count(balancer_passed), 5U);
  EXPECT_EQ(send({.source = kClient, .destination = kVip, .protocol = 1}).verdict, nf_keep);
}

TEST_F(Balancer, ForgetsSilentFlows) {
  const auto begun = flows();
  configure(web(back_end(1, "port = 8080\n") + back_end(2, "port = 8080\n") +
                back_end(3, "port = 8080\n") + back_end(4, "port = 8080\n")));
  now_ += 100 * kSecond;
  EXPECT_EQ(flows(), begun);
  now_ += 100 * kSecond + 1;
  EXPECT_NE(flows(), begun);
  EXPECT_EQ(count(balancer_begun), 600U);
  for (int i = 0; i < 5; ++i)
    balancer_function.sweep(now_ + 100 * kSecond);
  EXPECT_EQ(balancer_state.flows.count, 300U);
  for (int i = 0; i < 5; ++i)
    balancer_function.sweep(now_ + 100 * kSecond + 1);
  EXPECT_EQ(balancer_state.flows.count, 0U);
}

// A flood of new flows: they go where the hash determines, and no other flow is forgotten for them.
TEST_F(Balancer, BalancesWithoutATableWhereThatIsFull) {
  const auto wanted = flows();
  forget_in(1);
  EXPECT_EQ(flows(), wanted);
  EXPECT_EQ(flows(), wanted);
  EXPECT_EQ(count(balancer_untracked), 2 * (300U - nf_window));
  EXPECT_EQ(count(balancer_forwarded), nf_window);
}

TEST_F(Balancer, TakesFragmentsWhereTheFirstHasGone) {
  Frame first = to_web(1000);
  first.fragment = kMore;
  Frame later = {.source = kClient, .destination = kVip, .protocol = IPPROTO_TCP};
  later.fragment = 100;
  EXPECT_EQ(send(later).verdict, nf_drop);
  EXPECT_EQ(count(balancer_lost_fragment), 1U);
  const std::uint32_t chosen = destination_of(send(first).bytes);
  EXPECT_EQ(destination_of(send(later).bytes), chosen);
  EXPECT_EQ(count(balancer_fragment), 1U);
  now_ += 5 * kSecond + 1;
  EXPECT_EQ(send(later).verdict, nf_drop);
}

TEST_F(Balancer, TranslatesFragmentsOfAnswers) {
  const std::uint32_t chosen = destination_of(send(to_web(1000)).bytes);
  Frame answer = {.source = chosen,
                  .destination = kClient,
                  .protocol = IPPROTO_TCP,
                  .source_port = 8080,
                  .destination_port = 1000,
                  .fragment = kMore};
  Frame later = answer;
  later.fragment = 100;
  EXPECT_EQ(source_of(send(later, nf_internal).bytes), chosen);
  EXPECT_EQ(source_of(send(answer, nf_internal).bytes), kVip);
  EXPECT_EQ(source_of(send(later, nf_internal).bytes), kVip);
}

/// A "Fragmentation needed" (RFC 1191) or other error about a packet.
Bytes error_about(const Bytes &frame, std::uint32_t from, std::uint32_t to) {
  Frame error{
      .source = from, .destination = to, .protocol = IPPROTO_ICMP, .icmp_type = 3, .icmp_code = 4};
  error.payload.assign(frame.begin() + at_ip, frame.begin() + at_ip + 28);
  return bytes_of(error);
}

TEST_F(Balancer, TakesErrorsToTheBackEndThatTheyAreFor) {
  const std::uint32_t chosen = destination_of(send(to_web(1000)).bytes);
  Frame answer = to_web(80);
  std::swap(answer.source, answer.destination);
  answer.destination_port = 1000;
  const Sent sent = send(error_about(bytes_of(answer), 0x01010101, kVip));
  EXPECT_EQ(sent.verdict, nf_pass_on);
  EXPECT_EQ(destination_of(sent.bytes), chosen);
  EXPECT_EQ(address_at(sent.bytes, at_ip + 28 + 12), chosen);
  EXPECT_EQ(nf_load16(&sent.bytes[at_ip + 28 + 20]), nf_swap16(8080));
  EXPECT_EQ(checksum_of(std::span(sent.bytes).subspan(at_ip + 28, 20)), 0);
  EXPECT_EQ(count(balancer_error), 1U);
  answer.source = kVip + 1; // about a frame that it has not sent
  EXPECT_EQ(send(error_about(bytes_of(answer), 0x01010101, kVip)).verdict, nf_drop);
  Bytes broken = error_about(bytes_of(answer), 0x01010101, kVip);
  broken[at_ip + 28] = 0x41;
  EXPECT_EQ(send(broken).verdict, nf_drop);
  EXPECT_EQ(count(balancer_bad_error), 2U);
}

TEST_F(Balancer, TranslatesErrorsOfBackEnds) {
  const Sent request = send(to_web(1000));
  const std::uint32_t chosen = destination_of(request.bytes);
  const Sent sent = send(error_about(request.bytes, chosen, kClient), nf_internal);
  EXPECT_EQ(source_of(sent.bytes), kVip);
  EXPECT_EQ(address_at(sent.bytes, at_ip + 28 + 16), kVip);
  EXPECT_EQ(nf_load16(&sent.bytes[at_ip + 28 + 22]), nf_swap16(80));
}

TEST_F(Balancer, TakesWhatIsBrokenAway) {
  Bytes frame = bytes_of(to_web(1000));
  for (std::size_t size = 14; size < at_ip + 43; ++size) {
    io_.put(nf_external, Bytes(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size)));
    balancer_poll(&io_.io(), nf_external);
    EXPECT_EQ(io_.take().at(0).verdict, nf_drop) << size;
  }
  frame[at_ip + 8] ^= 1U;
  EXPECT_EQ(send(frame).verdict, nf_drop);
  EXPECT_EQ(count(balancer_broken), 44U);
}

} // namespace
} // namespace nf
