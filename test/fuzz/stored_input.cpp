// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/stored_input.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/cache/stored_image.h"
#include "fuzz/require.h"

namespace sartor::core {

using fuzz::require;

namespace {

// Size as in stored_image.h.
constexpr std::size_t kInfoBytes = 8;
constexpr std::size_t kImageBytes = 16;
constexpr std::size_t kChecksum = 56;
constexpr std::size_t kHeader = 88;

std::uint64_t number_at(const std::string &bytes, std::size_t offset) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

bool lies_in(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.size() <= whole.size() &&
         static_cast<std::size_t>(part.data() - whole.data()) <= whole.size() - part.size();
}

bool take_apart(std::string_view bytes) {
  const auto stored = unpack_stored(bytes);
  if (!stored)
    return false;
  require(lies_in(stored->info, bytes) && lies_in(stored->image, bytes));
  require(stored->info.size() + stored->image.size() + kHeader == bytes.size());
  const auto info = read_info(stored->info);
  if (!info)
    return false;
  const std::string again = pack_stored(stored->key, *info, stored->image);
  const auto same = unpack_stored(again);
  require(same && same->key == stored->key && same->image == stored->image);
  return true;
}

} // namespace

std::string seal(std::string stored) {
  if (stored.size() < kHeader)
    return stored;
  const std::string magic = pack_stored({}, {}, "").substr(0, kInfoBytes);
  std::ranges::copy(magic, stored.begin());
  const std::uint64_t rest = stored.size() - kHeader;
  const std::uint64_t info = std::min(number_at(stored, kInfoBytes), rest);
  const std::uint64_t image = rest - info;
  std::memcpy(stored.data() + kInfoBytes, &info, sizeof info);
  std::memcpy(stored.data() + kImageBytes, &image, sizeof image);
  const std::string_view all = stored;
  const base::ContentKey checksum = base::hash_of(
      {all.substr(0, kChecksum), all.substr(kHeader, info), all.substr(kHeader + info)});
  std::memcpy(stored.data() + kChecksum, checksum.data(), checksum.size());
  return stored;
}

bool look_at_stored(std::string_view bytes) {
  const bool as_it_is = take_apart(bytes);
  const std::string sealed = seal(std::string(bytes));
  require(bytes.size() < kHeader || unpack_stored(sealed));
  return take_apart(sealed) || as_it_is;
}

} // namespace sartor::core
