// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "traces.h"

#include <algorithm>
#include <array>

namespace nf {

namespace {

constexpr std::size_t at_transport = at_ip + 20;

Bytes spoilt(std::mt19937_64 &random, Frame frame) {
  switch (random() % 6) {
  case 0:
    frame.fragment = static_cast<std::uint16_t>(random() % 2 ? 0x2000 : random() % 0x1fff);
    return bytes_of(frame);
  case 1:
    frame.protocol = static_cast<std::uint8_t>(random());
    frame.payload.resize(random() % 40);
    return bytes_of(frame);
  case 2:
    frame.options.assign(4 * (1 + random() % 10), 1);
    return bytes_of(frame);
  default:
    break;
  }
  Bytes bytes = bytes_of(frame);
  if (random() % 2)
    bytes.resize(random() % bytes.size());
  else
    bytes[random() % at_transport] ^= static_cast<std::uint8_t>(1U << random() % 8);
  return bytes;
}

} // namespace

Trace random_trace(std::uint64_t seed, std::size_t count,
                   const std::function<Frame(std::mt19937_64 &, NfSide)> &make) {
  std::mt19937_64 random(seed);
  Trace trace;
  std::uint64_t now = 1'000'000'000;
  while (trace.size() < count) {
    const auto side = random() % 2 ? nf_external : nf_internal;
    constexpr std::array<std::uint64_t, 4> pauses = {1'000, 100'000, 10'000'000, 2'000'000'000};
    now += random() % pauses[random() % pauses.size()];
    for (std::size_t together = 1 + random() % 40; together > 0; --together) {
      const Frame frame = make(random, side);
      trace.push_back({side, now, random() % 8 ? bytes_of(frame) : spoilt(random, frame)});
    }
  }
  return trace;
}

std::vector<Sent> run(const Trace &trace, MemoryIo &io,
                      const std::function<std::uint32_t(NfIo *, NfSide)> &poll) {
  std::vector<Sent> all;
  for (auto first = trace.begin(); first != trace.end();) {
    const auto last = std::find_if(first, trace.end(), [&](const Arrival &arrival) {
      return arrival.side != first->side || arrival.now != first->now;
    });
    io.set_time(first->now);
    const NfSide side = first->side;
    for (; first != last; ++first)
      io.put(side, first->bytes);
    while (poll(&io.io(), side) > 0) {
    }
    const std::vector<Sent> sent = io.take();
    all.insert(all.end(), sent.begin(), sent.end());
  }
  return all;
}

} // namespace nf
