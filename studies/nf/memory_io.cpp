// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory_io.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace nf {

MemoryIo::MemoryIo() {
  static_assert(std::is_standard_layout_v<Own>);
  own_.owner = this;
  own_.io.receive = [](NfIo *io, NfSide side, NfPacket *packets, std::uint32_t most) {
    return of(io).receive(side, packets, most);
  };
  own_.io.send = [](NfIo *io, NfSide, NfPacket *packets, std::uint32_t count) {
    of(io).send(packets, count);
  };
  own_.io.now = [](NfIo *io) { return of(io).now_; };
  own_.io.batch = 32;
  own_.io.ahead = 4;
  own_.io.at_once = 8;
}

MemoryIo &MemoryIo::of(NfIo *io) { return *reinterpret_cast<Own *>(io)->owner; }

void MemoryIo::put(NfSide side, Bytes frame) {
  Held held{put_++, std::make_unique<std::uint8_t[]>(frame.size()), frame.size()};
  std::copy(frame.begin(), frame.end(), held.bytes.get());
  waiting_[side].push_back(std::move(held));
}

std::uint32_t MemoryIo::receive(NfSide side, NfPacket *packets, std::uint32_t most) {
  std::uint32_t count = 0;
  for (; count < most && !waiting_[side].empty(); ++count) {
    Held &held = under_way_.emplace_back(std::move(waiting_[side].front()));
    waiting_[side].pop_front();
    packets[count].data = held.bytes.get();
    packets[count].end = held.bytes.get() + held.size;
  }
  return count;
}

void MemoryIo::send(const NfPacket *packets, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Held &held = under_way_[i];
    sent_.push_back(
        {held.number, packets[i].verdict, Bytes(held.bytes.get(), held.bytes.get() + held.size)});
  }
  under_way_.clear();
}

std::vector<Sent> MemoryIo::take() { return std::exchange(sent_, {}); }

} // namespace nf
