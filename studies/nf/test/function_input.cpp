// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function_input.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "memory_io.h"
#include "parse.h"
#include "settings.h"

namespace nf {

namespace {

/// The most frames of an input, and the most bytes of a frame that come from it.
constexpr std::size_t kMostFrames = 64;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::array<std::uint64_t, 4> kPauses = {0, 1, 10 * kSecond, 400 * kSecond};

void require(bool condition) {
  if (!condition)
    std::abort();
}

/// Numbers from the input; zero after its end.
class Input {
public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool has_more() const { return !bytes_.empty(); }
  std::uint8_t byte() {
    const auto bytes = take(1);
    return bytes.empty() ? std::uint8_t{0} : bytes[0];
  }
  std::span<const std::uint8_t> take(std::size_t most) {
    const auto taken = bytes_.first(std::min(most, bytes_.size()));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

private:
  std::span<const std::uint8_t> bytes_;
};

enum Form : std::uint8_t {
  by_internal = 1,
  is_raw = 2,
  is_cut = 4,
  has_wrong_checksum = 8,
  and_goes_on = 16 ///< The next frame is in the same batch.
};

void put_checksum(Bytes &frame) {
  if (frame.size() < at_ip + sizeof(iphdr))
    return;
  const std::size_t header = (frame[at_ip] & 0xfU) * std::size_t{4};
  if (header < sizeof(iphdr) || frame.size() < at_ip + header)
    return;
  frame[at_ip + 10] = frame[at_ip + 11] = 0;
  const std::uint16_t checksum = checksum_of(std::span(frame).subspan(at_ip, header));
  frame[at_ip + 10] = static_cast<std::uint8_t>(checksum >> 8U);
  frame[at_ip + 11] = static_cast<std::uint8_t>(checksum);
}

Bytes frame_of(const Function &function, Input &input, std::uint8_t form) {
  Bytes frame;
  if (form & is_raw) {
    const auto bytes = input.take(input.byte());
    frame.assign(bytes.begin(), bytes.end());
  } else {
    frame =
        bytes_of(function.frame(form & by_internal ? nf_internal : nf_external, input.byte() % 64));
    const std::size_t at = input.byte() % frame.size();
    const auto bytes = input.take(input.byte() % 16);
    for (std::size_t i = 0; i < bytes.size() && at + i < frame.size(); ++i)
      frame[at + i] ^= bytes[i];
  }
  if (form & is_cut)
    frame.resize(frame.size() * input.byte() / 256);
  if (!(form & has_wrong_checksum))
    put_checksum(frame);
  return frame;
}

/// True if everything with a checksum is complete and has the right one.
bool is_right(Bytes frame) {
  if (frame.size() < at_ip)
    return false;
  NfPacket packet{};
  packet.data = frame.data();
  packet.end = frame.data() + frame.size();
  return nf_parse(&packet) == nf_whole && has_right_checksums(frame);
}

std::uint64_t sum_of_counts(const Function &function) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < function.outcomes.size(); ++i)
    sum += function.counts[i];
  return sum;
}

} // namespace

void configure_by_example(const Function &function) {
  const toml::table file = toml::parse(function.example);
  function.configure(table_of(file, function.name));
}

void look_at_frames(const Function &function, std::span<const std::uint8_t> bytes) {
  function.forget(16);
  Input input(bytes);
  MemoryIo io;
  std::vector<bool> were_right;
  std::size_t gone = 0;
  std::uint64_t now = kSecond;
  while (input.has_more() && were_right.size() < kMostFrames) {
    const std::uint8_t form = input.byte();
    const NfSide side = form & by_internal ? nf_internal : nf_external;
    Bytes frame = frame_of(function, input, form);
    were_right.push_back(is_right(frame));
    io.put(side, std::move(frame));
    if (form & and_goes_on && input.has_more() && were_right.size() < kMostFrames)
      continue;
    now += kPauses[form >> 6U];
    io.set_time(now);
    for (const NfSide one : {nf_external, nf_internal})
      while (function.poll(&io.io(), one) > 0) {
      }
    for (const Sent &sent : io.take()) {
      ++gone;
      require(sent.verdict <= nf_keep);
      if (sent.verdict == nf_pass_on && were_right.at(sent.number))
        require(is_right(sent.bytes));
    }
    function.sweep(now);
  }
  require(gone == were_right.size());
  require(sum_of_counts(function) >= gone);
}

} // namespace nf
