// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/function_frames.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/raw_bytes.h"

namespace sartor::runtime {

namespace {

template <class T> T number_at(std::string_view bytes, std::size_t at) {
  T value{};
  if (at <= bytes.size() && sizeof value <= bytes.size() - at)
    std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// An entry of .eh_frame (Linux Standard Base 5.0, 10.6.1): its size, the distance to what is
/// common to several functions, and the distance to its function's first instruction.
struct Entry {
  std::string_view bytes;
  std::size_t begin; ///< Offset in the table.

  static constexpr std::size_t kLink = 4;
  static constexpr std::size_t kFunction = 8;

  [[nodiscard]] bool is_common() const { return number_at<std::uint32_t>(bytes, kLink) == 0; }
  [[nodiscard]] std::size_t common() const {
    return begin + kLink - number_at<std::uint32_t>(bytes, kLink);
  }
  [[nodiscard]] std::uint64_t function(std::uint64_t table) const {
    const auto distance = std::int64_t{number_at<std::int32_t>(bytes, kFunction)};
    return table + begin + kFunction + static_cast<std::uint64_t>(distance);
  }
};

std::optional<Entry> entry_at(std::string_view table, std::size_t begin) {
  if (begin >= table.size())
    return std::nullopt;
  const std::size_t size = number_at<std::uint32_t>(table, begin) + sizeof(std::uint32_t);
  if (size <= Entry::kFunction || size > table.size() - begin)
    return std::nullopt;
  return Entry{table.substr(begin, size), begin};
}

} // namespace

FunctionFrames function_frames(const core::CodeImage &image, const core::Function &function) {
  const std::string_view table =
      std::string_view(image.code).substr(image.unwind, image.unwind_bytes);
  std::optional<Entry> own = entry_at(table, 0);
  while (own && (own->is_common() || own->function(image.unwind) != function.begin))
    own = entry_at(table, own->begin + own->bytes.size());
  const auto common = own ? entry_at(table, own->common()) : std::nullopt;
  if (!common)
    return {};

  FunctionFrames frames;
  std::string &bytes = frames.bytes;
  bytes = common->bytes;
  const std::size_t begin = bytes.size();
  bytes += own->bytes;
  const auto link = static_cast<std::uint32_t>(begin + Entry::kLink);
  std::memcpy(bytes.data() + link, &link, sizeof link);
  const std::size_t place = begin + Entry::kFunction;
  const std::uint64_t from_code = (function.bytes + 7) / 8 * 8; // of the table
  const auto to_code = static_cast<std::int32_t>(-static_cast<std::int64_t>(from_code + place));
  std::memcpy(bytes.data() + place, &to_code, sizeof to_code);
  base::append_raw(bytes, std::uint32_t{0}); // the end

  const auto header = static_cast<std::int32_t>(bytes.size());
  bytes += "\x01\x1b\x03\x3b"; // the version, and the encodings of what follows
  base::append_raw(bytes, -(header + 4));
  base::append_raw(bytes, std::uint32_t{1}); // row
  base::append_raw(bytes, -static_cast<std::int32_t>(from_code) - header);
  base::append_raw(bytes, static_cast<std::int32_t>(begin) - header);
  frames.header_bytes = bytes.size() - static_cast<std::size_t>(header);
  return frames;
}

} // namespace sartor::runtime
