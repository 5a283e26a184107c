// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/fill.h"

#include <cstring>
#include <limits>
#include <optional>

namespace sartor::runtime {

namespace {

using core::Fill;
using core::FillKind;

// Instructions that read an address from a table relative to the instruction, by the last two bytes
// in front of the distance, and the instructions that contain the address itself (x86-64 psABI,
// "Optimize GOTPCRELX Relocations").
constexpr unsigned char kRexW = 0x48;
constexpr unsigned char kMov = 0x8b;
constexpr unsigned char kLea = 0x8d;
constexpr unsigned char kIndirect = 0xff;
constexpr unsigned char kCallThrough = 0x15;
constexpr unsigned char kJumpThrough = 0x25;
constexpr unsigned char kAddressPrefix = 0x67;
constexpr unsigned char kCall = 0xe8;
constexpr unsigned char kJump = 0xe9;
constexpr unsigned char kNop = 0x90;

std::optional<std::int32_t> distance(std::uint64_t from, std::uint64_t to) {
  const auto difference = static_cast<std::int64_t>(to - from);
  if (difference < std::numeric_limits<std::int32_t>::min() ||
      difference > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return static_cast<std::int32_t>(difference);
}

template <class T> void write(std::byte *place, T value) {
  std::memcpy(place, &value, sizeof value);
}

/// `place` and `address` are those of the distance; `to` is the target minus the position that the
/// distance is relative to.
void shorten_load(std::byte *place, std::uint64_t address, std::uint64_t to, bool has_prefix) {
  const auto byte = [&](int offset) { return static_cast<unsigned char>(place[offset]); };
  const auto direct = distance(address, to);
  if (!direct)
    return;
  if (byte(-2) == kMov && has_prefix && (byte(-3) & 0xf8U) == kRexW) {
    write(place - 2, kLea);
    write(place, *direct);
  } else if (byte(-2) == kIndirect && byte(-1) == kCallThrough) {
    write(place - 2, kAddressPrefix);
    write(place - 1, kCall);
    write(place, *direct);
  } else if (byte(-2) == kIndirect && byte(-1) == kJumpThrough) {
    if (const auto earlier = distance(address - 1, to)) {
      write(place - 2, kJump);
      write(place - 1, *earlier);
      write(place + 3, kNop);
    }
  }
}

std::unexpected<Failure> too_far(const core::CodeImage &image, const Fill &fill) {
  const std::string name = fill.symbol < image.symbols.size() ? image.symbols[fill.symbol].name
                                                              : std::string("its own data");
  return std::unexpected(Failure{ErrorCode::compile_failed, image.name,
                                 "reaches " + name + " by 32 bits, which is farther away",
                                 "the generic code goes on; make room within 2 GiB of the program, "
                                 "or compile the handler file with -fPIC"});
}

} // namespace

Result<void> fill(const core::CodeImage &image, const Ground &ground,
                  const std::vector<std::uint64_t> &addresses) {
  if (image.architecture != core::Architecture::x86_64)
    return std::unexpected(Failure{ErrorCode::wrong_target, image.name,
                                   "is for another architecture", "the generic code goes on"});
  std::memcpy(ground.writable_code, image.code.data(), image.code.size());
  if (!image.data.empty())
    std::memcpy(ground.data, image.data.data(), image.data.size());
  const auto address_of = [&](std::uint32_t symbol) {
    if (symbol == core::kOwnCode)
      return reinterpret_cast<std::uint64_t>(ground.code);
    if (symbol == core::kOwnData)
      return reinterpret_cast<std::uint64_t>(ground.data);
    return addresses[symbol];
  };
  for (const Fill &fill : image.fills) {
    const bool in_code = fill.at < image.code.size();
    const std::size_t at = in_code ? fill.at : fill.at - image.code.size();
    std::byte *place = (in_code ? ground.writable_code : ground.data) + at;
    const auto own = reinterpret_cast<std::uint64_t>((in_code ? ground.code : ground.data) + at);
    const std::uint64_t to = address_of(fill.symbol) + static_cast<std::uint64_t>(fill.addend);
    switch (fill.kind) {
    case FillKind::address:
      write(place, to);
      break;
    case FillKind::relative:
      if (const auto direct = distance(own, to))
        write(place, *direct);
      else
        return too_far(image, fill);
      break;
    case FillKind::branch:
      if (const auto direct = distance(own, to))
        write(place, *direct);
      break;
    case FillKind::load:
      shorten_load(place, own, to, at > 2);
      break;
    case FillKind::address32: // not of this machine
    case FillKind::arm_low:
    case FillKind::arm_high:
      break;
    }
  }
  return {};
}

} // namespace sartor::runtime
