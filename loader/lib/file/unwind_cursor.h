// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_UNWIND_CURSOR_H
#define SARTOR_LOADER_LIB_FILE_UNWIND_CURSOR_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

/// Reads unwind information in the format of files. (Linux Standard Base 5.0, "Exception Frames";
/// Itanium C++ ABI, "Exception Handling Tables".)
namespace sartor::loader::unwind {

// Encoding of a pointer: the lower half is its format, the upper half its base.
inline constexpr unsigned omitted = 0xff;
inline constexpr unsigned format_mask = 0x0f, relation_mask = 0x70, indirect = 0x80;
inline constexpr unsigned absolute = 0x00, uleb128 = 0x01, udata2 = 0x02, udata4 = 0x03,
                          udata8 = 0x04, sleb128 = 0x09, sdata2 = 0x0a, sdata4 = 0x0b,
                          sdata8 = 0x0c;
inline constexpr unsigned relative_to_itself = 0x10, relative_to_header = 0x30;

/// Thrown if data is incomplete or of an unknown kind.
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
  /// Returns a cursor over the next bytes, and skips them here.
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
  std::int64_t read_sleb128() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = read<std::uint8_t>();
      if (shift < 64)
        value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
      if ((byte & 0x80U) != 0)
        continue;
      if ((byte & 0x40U) != 0 && shift < 64)
        value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }
  /// Reads a number of the encoding's size, ignoring its base.
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
      return read_uleb128();
    case sleb128:
      return static_cast<std::uint64_t>(read_sleb128());
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

} // namespace sartor::loader::unwind

#endif
