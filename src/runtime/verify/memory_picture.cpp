// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/memory_picture.h"

#include <algorithm>

namespace sartor::runtime {

void MemoryPicture::put(std::uint64_t address, std::string_view bytes) {
  if (bytes.empty())
    return;
  const std::uint64_t end = address + bytes.size();
  auto at = parts_.upper_bound(address);
  if (at != parts_.begin())
    --at;
  while (at != parts_.end() && at->first < end) {
    const std::uint64_t begin = at->first;
    const std::uint64_t old_end = begin + at->second.size();
    if (old_end <= address) {
      ++at;
      continue;
    }
    const std::string old = std::move(at->second);
    at = parts_.erase(at);
    if (begin < address)
      parts_.emplace(begin, old.substr(0, address - begin));
    if (old_end > end)
      at = parts_.emplace(end, old.substr(end - begin)).first;
  }
  parts_.emplace(address, bytes);
}

std::vector<core::MemoryPiece> MemoryPicture::pieces() const {
  std::vector<core::MemoryPiece> pieces;
  for (const auto &[address, bytes] : parts_)
    pieces.push_back({address, bytes});
  return pieces;
}

std::vector<core::MemoryPiece> MemoryPicture::changes(std::uint64_t address,
                                                      std::string_view now) const {
  std::vector<core::MemoryPiece> changes;
  auto at = parts_.upper_bound(address);
  if (at != parts_.begin())
    --at;
  for (; at != parts_.end() && at->first < address + now.size(); ++at) {
    const std::uint64_t end = std::min(at->first + at->second.size(), address + now.size());
    for (std::uint64_t each = std::max(at->first, address); each < end; ++each) {
      const char byte = now[each - address];
      if (byte == at->second[each - at->first])
        continue;
      if (!changes.empty() && changes.back().address + changes.back().bytes.size() == each)
        changes.back().bytes += byte;
      else
        changes.push_back({each, std::string(1, byte)});
    }
  }
  return changes;
}

} // namespace sartor::runtime
