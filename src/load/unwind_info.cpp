// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load/unwind_info.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string_view>

namespace sartor::load {

namespace {

// How a pointer is encoded: its format in the lower half, what it is relative to in the upper.
constexpr unsigned omitted = 0xff;
constexpr unsigned format_mask = 0x0f, relation_mask = 0x70, indirect = 0x80;
constexpr unsigned absolute = 0x00, uleb128 = 0x01, udata2 = 0x02, udata4 = 0x03, udata8 = 0x04,
                   sleb128 = 0x09, sdata2 = 0x0a, sdata4 = 0x0b, sdata8 = 0x0c;
constexpr unsigned relative_to_itself = 0x10, relative_to_header = 0x30;

struct CutOff {};

/// Reads bytes that are at an address. Throws CutOff.
class Cursor {
public:
  Cursor(std::span<const std::byte> bytes, std::uint64_t address)
      : bytes_(bytes), address_(address) {}

  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] bool is_at_end() const { return bytes_.empty(); }

  template <class T> T read() {
    if (bytes_.size() < sizeof(T))
      throw CutOff();
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    skip(sizeof value);
    return value;
  }
  void skip(std::uint64_t size) {
    if (size > bytes_.size())
      throw CutOff();
    bytes_ = bytes_.subspan(size);
    address_ += size;
  }
  /// The next bytes, which are skipped here.
  Cursor part(std::uint64_t size) {
    if (size > bytes_.size())
      throw CutOff();
    Cursor result(bytes_.first(size), address_);
    skip(size);
    return result;
  }
  std::uint64_t read_uleb128() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = read<std::uint8_t>();
      if (shift < 64)
        value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0)
        return value;
    }
  }
  /// As large as a pointer of that encoding, whatever it is relative to.
  std::uint64_t read_number(unsigned encoding) {
    switch (encoding & format_mask) {
    case absolute:
    case udata8:
    case sdata8:
      return read<std::uint64_t>();
    case udata2:
      return read<std::uint16_t>();
    case udata4:
      return read<std::uint32_t>();
    case sdata2:
      return static_cast<std::uint64_t>(read<std::int16_t>());
    case sdata4:
      return static_cast<std::uint64_t>(read<std::int32_t>());
    case uleb128:
    case sleb128: // whose value nobody asks for here
      return read_uleb128();
    default:
      throw CutOff();
    }
  }
  std::uint64_t read_pointer(unsigned encoding) {
    const std::uint64_t from =
        (encoding & relation_mask) == relative_to_itself ? address_ : std::uint64_t{0};
    return from + read_number(encoding);
  }
  std::string_view read_string() {
    const std::string_view rest(reinterpret_cast<const char *>(bytes_.data()), bytes_.size());
    const auto end = rest.find('\0');
    if (end == std::string_view::npos)
      throw CutOff();
    skip(end + 1);
    return rest.substr(0, end);
  }

private:
  std::span<const std::byte> bytes_;
  std::uint64_t address_;
};

/// How the entries that refer to a common one write the addresses of functions.
unsigned pointer_encoding(Cursor common) {
  const auto version = common.read<std::uint8_t>();
  const std::string_view augmentation = common.read_string();
  common.read_uleb128(); // alignment of code
  common.read_uleb128(); // ... and of data
  if (version == 1)
    common.skip(1); // the register of the return address
  else
    common.read_uleb128();
  if (!augmentation.starts_with('z'))
    return absolute;
  common.read_uleb128();
  for (const char what : augmentation.substr(1)) {
    if (what == 'R')
      return common.read<std::uint8_t>();
    if (what == 'L')
      common.skip(1);
    else if (what == 'P') {
      const auto encoding = common.read<std::uint8_t>();
      common.read_number(encoding);
    }
  }
  return absolute;
}

/// Reads entries, from wherever they are.
class Frames {
public:
  explicit Frames(const ElfFile &file) : file_(file) {}

  /// What the entry describes that begins at an address; nothing if it is common to others, or
  /// describes nothing. `next` becomes the address behind it, or nothing at the end.
  std::optional<CodeRange> read(std::uint64_t address,
                                std::optional<std::uint64_t> *next = nullptr);

private:
  unsigned encoding_of(std::uint64_t common);

  const ElfFile &file_;
  std::map<std::uint64_t, unsigned> encodings_; ///< Of common entries, by address.
};

std::optional<CodeRange> Frames::read(std::uint64_t address, std::optional<std::uint64_t> *next) {
  Cursor at(file_.from(address), address);
  const std::uint64_t size = at.read<std::uint32_t>();
  if (next)
    next->reset();
  if (size == 0)
    return std::nullopt;
  if (size == 0xffffffff) // more than 4 GiB
    throw CutOff();
  Cursor entry = at.part(size);
  if (next && !at.is_at_end())
    *next = at.address();
  const std::uint64_t here = entry.address();
  const std::uint64_t back = entry.read<std::uint32_t>();
  if (back == 0)
    return std::nullopt;
  const unsigned encoding = encoding_of(here - back);
  const std::uint64_t function = entry.read_pointer(encoding);
  const std::uint64_t length = entry.read_number(encoding);
  if (length > ~function)
    throw CutOff();
  return length > 0 ? std::optional(CodeRange{function, function + length}) : std::nullopt;
}

unsigned Frames::encoding_of(std::uint64_t common) {
  if (const auto known = encodings_.find(common); known != encodings_.end())
    return known->second;
  Cursor at(file_.from(common), common);
  Cursor entry = at.part(at.read<std::uint32_t>());
  if (entry.read<std::uint32_t>() != 0) // it refers to another itself
    throw CutOff();
  const unsigned encoding = pointer_encoding(entry);
  if (encoding == omitted || (encoding & indirect) != 0)
    throw CutOff();
  return encodings_[common] = encoding;
}

/// By the table that unwinders search, or by going from entry to entry where there is none. The
/// entries need not end with an empty one where there is a table.
std::vector<CodeRange> read(const ElfFile &file, std::uint64_t header) {
  Cursor at(file.from(header), header);
  at.skip(1); // version
  const auto of_frames = at.read<std::uint8_t>();
  const auto of_count = at.read<std::uint8_t>();
  const auto of_table = at.read<std::uint8_t>();
  const std::uint64_t first = at.read_pointer(of_frames);
  Frames frames(file);
  std::vector<CodeRange> ranges;
  if (of_count == udata4 && of_table == (relative_to_header | sdata4)) {
    for (auto count = at.read<std::uint32_t>(); count > 0; --count) {
      at.skip(4); // where the function begins, as in the entry
      if (const auto range = frames.read(header + at.read_number(sdata4)))
        ranges.push_back(*range);
    }
    return ranges;
  }
  for (std::optional next(first); next;)
    if (const auto range = frames.read(*next, &next))
      ranges.push_back(*range);
  return ranges;
}

} // namespace

Result<std::vector<CodeRange>> function_bounds(const ElfFile &file) {
  if (!file.unwind_table())
    return std::vector<CodeRange>();
  std::vector<CodeRange> ranges;
  try {
    ranges = read(file, *file.unwind_table());
  } catch (const CutOff &) {
    return std::unexpected(Failure{ErrorCode::bad_elf, file.name(),
                                   "its unwind information is cut off, or of an unknown kind",
                                   "it is loaded as the stock loader would"});
  }
  // Linkers fold functions that are alike: then several entries describe the same code.
  std::ranges::sort(ranges);
  std::vector<CodeRange> in_order;
  for (const CodeRange &range : ranges)
    if (in_order.empty() || range.begin >= in_order.back().end)
      in_order.push_back(range);
    else
      in_order.back().end = std::max(in_order.back().end, range.end);
  return in_order;
}

} // namespace sartor::load
