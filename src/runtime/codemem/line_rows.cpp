// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/line_rows.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sartor::runtime {

namespace {

// DWARF 5, 7.22 and 7.5.6.
enum Opcode : std::uint8_t {
  kExtended,
  kCopy,
  kAdvanceAddress,
  kAdvanceLine,
  kSetFile,
  kSetColumn,
  kNegateStatement,
  kBasicBlock,
  kAddConstant,
  kAdvanceFixed,
};
enum ExtendedOpcode : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };
enum Content : std::uint8_t { kPath = 1, kDirectory = 2 };
enum Form : std::uint8_t {
  kData2 = 0x05,
  kString = 0x08,
  kData1 = 0x0b,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kData16 = 0x1e,
  kLineStrp = 0x1f,
};

/// Reads untrusted bytes. After a premature end, everything read is zero.
class Bytes {
public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  template <class T> T number() {
    T value{};
    if (const std::string_view bytes = take(sizeof value); bytes.size() == sizeof value)
      bytes.copy(reinterpret_cast<char *>(&value), sizeof value);
    return value;
  }
  std::uint64_t leb(bool is_signed = false) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = number<std::uint8_t>();
      if (shift < 64)
        value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0) {
        if (is_signed && (byte & 0x40U) != 0 && shift + 7 < 64)
          value |= ~std::uint64_t{0} << (shift + 7);
        return value;
      }
    }
  }
  std::string_view text() {
    const std::string_view text = rest_.substr(0, rest_.find('\0'));
    take(std::min(rest_.size(), text.size() + 1));
    return text;
  }
  std::string_view take(std::uint64_t count) {
    good_ = good_ && count <= rest_.size();
    const std::string_view taken = good_ ? rest_.substr(0, count) : std::string_view();
    rest_ = good_ ? rest_.substr(count) : std::string_view();
    return taken;
  }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

private:
  std::string_view rest_;
  bool good_ = true;
};

std::string_view content_of(const std::vector<core::DebugSection> &debug, std::string_view name) {
  const auto found = std::ranges::find(debug, name, &core::DebugSection::name);
  return found == debug.end() ? std::string_view() : std::string_view(found->content);
}

/// Reads one unit of .debug_line.
class Unit {
public:
  Unit(Bytes bytes, const std::vector<core::DebugSection> &debug) : bytes_(bytes), debug_(debug) {}

  void read(std::vector<LineRow> &rows) {
    if (!read_header())
      return;
    while (!bytes_.is_at_end())
      step(rows);
  }

private:
  struct Name {
    std::string_view path;
    std::uint64_t directory = 0;
  };

  bool read_header() {
    constexpr std::uint16_t version = 5;
    if (bytes_.number<std::uint16_t>() != version ||
        bytes_.number<std::uint8_t>() != sizeof(std::uint64_t))
      return false;
    bytes_.take(1); // the size of segment selectors
    Bytes header(bytes_.take(bytes_.number<std::uint32_t>()));
    instruction_ = header.number<std::uint8_t>();
    header.take(2); // operations per instruction; is_stmt at first
    line_base_ = header.number<std::int8_t>();
    line_range_ = header.number<std::uint8_t>();
    opcode_base_ = header.number<std::uint8_t>();
    lengths_ = header.take(opcode_base_ > 0 ? opcode_base_ - 1U : 0U);
    const std::vector<Name> directories = read_names(header);
    for (const Name &file : read_names(header))
      files_.push_back(path_of(file, directories));
    return line_range_ > 0 && opcode_base_ > kAdvanceFixed;
  }

  std::vector<Name> read_names(Bytes &header) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> format(header.number<std::uint8_t>());
    for (auto &[content, form] : format)
      content = header.leb(), form = header.leb();
    std::vector<Name> names;
    std::uint64_t left = header.leb();
    if (format.empty()) // however many there are, they take no bytes
      return names;
    for (; left > 0 && !header.is_at_end(); --left) {
      Name &name = names.emplace_back();
      for (const auto &[content, form] : format)
        if (form == kString || form == kStrp || form == kLineStrp)
          (content == kPath ? name.path : ignored_) = read_text(header, form);
        else if (const std::uint64_t value = read_value(header, form); content == kDirectory)
          name.directory = value;
    }
    return names;
  }

  std::string_view read_text(Bytes &header, std::uint64_t form) const {
    if (form == kString)
      return header.text();
    const std::string_view texts =
        content_of(debug_, form == kStrp ? ".debug_str" : ".debug_line_str");
    const auto offset = header.number<std::uint32_t>();
    return offset < texts.size() ? Bytes(texts.substr(offset)).text() : std::string_view();
  }

  static std::uint64_t read_value(Bytes &header, std::uint64_t form) {
    switch (form) {
    case kData1:
      return header.number<std::uint8_t>();
    case kData2:
      return header.number<std::uint16_t>();
    case kUdata:
      return header.leb();
    case kData16:
      header.take(16);
      return 0;
    default: // unknown: the rest cannot be read
      header.take(~std::uint64_t{0});
      return 0;
    }
  }

  static std::string path_of(const Name &file, const std::vector<Name> &directories) {
    std::string path(file.path);
    // Directories are relative to the first.
    for (const std::uint64_t at : {file.directory, std::uint64_t{0}})
      if (!path.starts_with('/') && at < directories.size())
        path = std::string(directories[at].path).append("/").append(path);
    return path;
  }

  void step(std::vector<LineRow> &rows) {
    const auto opcode = bytes_.number<std::uint8_t>();
    if (opcode >= opcode_base_) {
      const unsigned special = opcode - opcode_base_;
      address_ += std::uint64_t{special / line_range_} * instruction_;
      line_ += static_cast<std::uint32_t>(line_base_ + static_cast<int>(special % line_range_));
      return add_row(rows);
    }
    switch (opcode) {
    case kExtended:
      return step_extended();
    case kCopy:
      return add_row(rows);
    case kAdvanceAddress:
      address_ += bytes_.leb() * instruction_;
      return;
    case kAdvanceLine:
      line_ += static_cast<std::uint32_t>(bytes_.leb(/*is_signed=*/true));
      return;
    case kSetFile:
      file_ = bytes_.leb();
      return;
    case kAddConstant:
      address_ += std::uint64_t{(255U - opcode_base_) / line_range_} * instruction_;
      return;
    case kAdvanceFixed:
      address_ += bytes_.number<std::uint16_t>();
      return;
    default:
      for (int left = opcode <= lengths_.size() ? lengths_[opcode - 1] : 0; left > 0; --left)
        bytes_.leb();
    }
  }

  void step_extended() {
    Bytes operation(bytes_.take(bytes_.leb()));
    switch (operation.number<std::uint8_t>()) {
    case kEndSequence:
      address_ = 0;
      file_ = line_ = 1;
      return;
    case kSetAddress:
      address_ = operation.number<std::uint64_t>();
      return;
    default:
      return;
    }
  }

  void add_row(std::vector<LineRow> &rows) const {
    if (line_ > 0 && file_ < files_.size())
      rows.push_back({address_, files_[file_], line_});
  }

  Bytes bytes_;
  const std::vector<core::DebugSection> &debug_;
  std::vector<std::string> files_;
  std::string_view ignored_;
  std::string_view lengths_; ///< The number of operands of each opcode from 1 on.
  std::uint8_t instruction_ = 1;
  std::int8_t line_base_ = 0;
  std::uint8_t line_range_ = 1;
  std::uint8_t opcode_base_ = 1;
  std::uint64_t address_ = 0;
  std::uint64_t file_ = 1;
  std::uint32_t line_ = 1;
};

} // namespace

std::vector<LineRow> line_rows(const std::vector<core::DebugSection> &debug) {
  std::vector<LineRow> rows;
  Bytes units(content_of(debug, ".debug_line"));
  while (!units.is_at_end())
    Unit(Bytes(units.take(units.number<std::uint32_t>())), debug).read(rows);
  std::ranges::sort(rows, {}, &LineRow::at);
  return rows;
}

} // namespace sartor::runtime
