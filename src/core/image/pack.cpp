// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/image/pack.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <utility>

#include "base/bytes.h"
#include "core/image/fold_report_bytes.h"

namespace sartor::bytes {

template <class Io, Of<core::Symbol> T> void fields_of(Io &io, T &symbol) {
  io(symbol.name, symbol.may_be_missing);
}

template <class Io, Of<core::Fill> T> void fields_of(Io &io, T &fill) {
  io(fill.at, fill.addend, fill.symbol);
  io.choice(fill.kind);
}

template <class Io, Of<core::Function> T> void fields_of(Io &io, T &function) {
  io(function.name, function.begin, function.bytes);
}

template <class Io, Of<core::DebugSection> T> void fields_of(Io &io, T &section) {
  io(section.name, section.content, section.addresses);
}

template <class Io, Of<core::CodeImage> T> void fields_of(Io &io, T &image) {
  io.choice(image.architecture);
  io(image.name, image.code, image.data, image.zeroed, image.alignment, image.entry, image.unwind,
     image.unwind_bytes, image.symbols, image.fills, image.functions, image.debug, image.remarks,
     image.fold_report);
}

} // namespace sartor::bytes

namespace sartor::core {

namespace {

// Increment the number when the format of images changes. Devices read no further than the fills;
// the format of the rest depends on the build, which caches distinguish.
constexpr std::string_view kMagic("SARTIMG\4", 8);

constexpr std::size_t kMostDebugSections = 32;

std::unexpected<Failure> damaged(const char *why) {
  return std::unexpected(Failure{ErrorCode::file_error, "an image", why, "make it anew"});
}

bool is_within(std::uint64_t begin, std::uint64_t bytes, std::uint64_t all) {
  return begin <= all && bytes <= all - begin;
}

std::size_t bytes_of(FillKind kind) { return kind == FillKind::address ? 8 : 4; }

bool is_of(Architecture architecture, FillKind kind) {
  switch (architecture) {
  case Architecture::x86_64:
    return kind <= FillKind::load;
  case Architecture::armv7:
    return kind >= FillKind::address32;
  case Architecture::aarch64:
  case Architecture::riscv64:
    break;
  case Architecture::kernel:
    return false;
  }
  return kind == FillKind::address;
}

// A load is rewritten starting at the two bytes before it.
bool is_good(const Fill &fill, const CodeImage &image) {
  if (fill.symbol >= image.symbols.size() && fill.symbol != kOwnCode && fill.symbol != kOwnData)
    return false;
  const std::uint64_t code = image.code.size();
  const std::size_t bytes = bytes_of(fill.kind);
  if (!is_of(image.architecture, fill.kind))
    return false;
  if (fill.kind == FillKind::load && (fill.at < 2 || fill.at >= code))
    return false;
  return is_within(fill.at, bytes, code) ||
         (fill.at >= code && is_within(fill.at - code, bytes, image.data.size()));
}

bool is_good(const DebugSection &section) {
  return section.name.starts_with(".debug_") && section.name.find('\0') == std::string::npos &&
         section.content.size() <= std::numeric_limits<std::uint32_t>::max() &&
         std::ranges::all_of(section.addresses, [&](std::uint32_t at) {
           return is_within(at, sizeof(std::uint64_t), section.content.size());
         });
}

// Sections of the same name would hide each other, and their number is limited by a file's headers.
bool is_good(const std::vector<DebugSection> &debug) {
  std::set<std::string_view> names;
  return debug.size() <= kMostDebugSections &&
         std::ranges::all_of(debug, [&](const DebugSection &section) {
           return is_good(section) && names.insert(section.name).second;
         });
}

// A walk of the table stops at the mark (Linux Standard Base, "Exception Frames").
bool ends_with_mark(const CodeImage &image) {
  static constexpr std::string_view kMark("\0\0\0\0", 4);
  return image.unwind_bytes == 0 ||
         std::string_view(image.code).substr(image.unwind, image.unwind_bytes).ends_with(kMark);
}

const char *problem_of(const CodeImage &image) {
  if (!std::has_single_bit(image.alignment) || image.alignment > kMostAlignment)
    return "has an alignment that there is not";
  if (image.zeroed > std::numeric_limits<std::uint32_t>::max())
    return "wants more memory than code may have";
  if (image.architecture != Architecture::x86_64 && image.data.size() + image.zeroed > 0)
    return "has variables of its own";
  if (image.entry >= image.code.size())
    return "has its entry outside of its code";
  if (!is_within(image.unwind, image.unwind_bytes, image.code.size()))
    return "has its unwind table outside of its code";
  if (!ends_with_mark(image))
    return "has an unwind table without an end";
  if (!std::ranges::all_of(image.fills, [&](const Fill &fill) { return is_good(fill, image); }))
    return "has something to be filled in where it may not";
  if (!std::ranges::all_of(image.functions, [&](const Function &function) {
        return is_within(function.begin, function.bytes, image.code.size());
      }))
    return "has a function outside of its code";
  if (!is_good(image.debug) || (image.architecture != Architecture::x86_64 && !image.debug.empty()))
    return "has debug information that there is not";
  return nullptr;
}

} // namespace

std::string pack_image(const CodeImage &image) { return std::string(kMagic) + bytes::pack(image); }

Result<CodeImage> unpack_image(std::string_view packed) {
  if (!packed.starts_with(kMagic))
    return damaged("is none, or of another version of Sartor");
  auto image = bytes::unpack<CodeImage>(packed.substr(kMagic.size()));
  if (!image)
    return damaged("is not as it was written");
  if (const char *problem = problem_of(*image))
    return damaged(problem);
  return std::move(*image);
}

} // namespace sartor::core
