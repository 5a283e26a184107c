// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/copies.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "loader/lib/decode/function_code.h"
#include "loader/lib/format/image_format.h"
#include "loader/lib/image/copied_frames.h"
#include "loader/lib/image/copyable.h"

namespace sartor::loader {

namespace {

constexpr std::uint64_t alignment = 16;
constexpr std::uint64_t size_of_jump = 5; ///< `jmp` with a displacement of 32 bits.
constexpr std::byte trap{0xcc};           // int3
constexpr std::byte jump{0xe9};

Failure copy_failure(const Library &library) {
  return {ErrorCode::bad_plan, library.path.string(), "a function of it cannot be copied",
          "the stock loader starts it as before"};
}

/// Reads the tables of jumps of a function in a library's memory, as passes have changed it.
TableReader tables_in_memory(Library &library, std::uint64_t function) {
  return [&library, function, read = tables_in(library.file, function)](
             std::int64_t offset, std::uint32_t count) -> std::optional<std::vector<std::int32_t>> {
    auto entries = read(offset, count);
    const auto bytes = library.memory->at(function + static_cast<std::uint64_t>(offset),
                                          count * sizeof(std::int32_t));
    if (!entries || bytes.empty())
      return std::nullopt;
    std::memcpy(entries->data(), bytes.data(), bytes.size());
    return entries;
  };
}

std::uint64_t size_of_tables(const FunctionCode &code) {
  std::uint64_t size = 0;
  for (const JumpTable &table : code.tables)
    size += table.entries.size() * sizeof(std::int32_t);
  return size;
}

/// Follows a function in a library's memory. Throws Failure.
FunctionCode follow(Library &library, const Copy &copy, std::span<const std::byte> bytes) {
  const auto pads = landing_pads_of(bytes_of(library.file), copy.frame);
  auto code = pads && !bytes.empty()
                  ? follow_function(bytes, *pads, tables_in_memory(library, copy.function.begin))
                  : std::unexpected("");
  // Its room has been planned by the file's content.
  if (!code || size_of_tables(*code) != copy.size_of_tables)
    throw copy_failure(library);
  return std::move(*code);
}

std::span<std::byte> bytes_of(Library &library, const CodeRange &function) {
  return library.memory->at(function.begin, function.end - function.begin);
}

/// Makes copies in the arena.
class Maker {
public:
  Maker(PrelinkImage &image, const Layout &layout, std::span<const Copy> copies)
      : image_(image), layout_(layout), copies_(copies) {
    for (const Copy &copy : copies)
      by_original_[layout.base_of(copy.library) + copy.function.begin] =
          layout.copies + copy.offset;
  }

  void redirect();
  /// Copies the code into the begin of the room, and tables behind it.
  void copy(std::span<std::byte> room, std::uint64_t code_size);

private:
  void redirect(std::size_t library, const CodeRange &function);
  void copy(const Copy &copy, std::span<std::byte> to, std::span<std::byte> tables,
            std::uint64_t tables_at);

  PrelinkImage &image_;
  const Layout &layout_;
  const std::span<const Copy> copies_;
  /// Address of each copy in the arena, by that of the original.
  std::unordered_map<std::uint64_t, std::uint64_t> by_original_;
};

/// Writes a displacement that leads to a distance from its instruction's end; returns false if it
/// is out of reach.
bool put(std::span<std::byte> code, std::uint64_t place, std::uint64_t distance) {
  const auto whole = static_cast<std::int64_t>(distance);
  if (!std::in_range<std::int32_t>(whole))
    return false;
  const auto value = static_cast<std::int32_t>(whole);
  std::memcpy(&code[place], &value, sizeof value);
  return true;
}

void Maker::redirect() {
  for (std::size_t i = 0; i < image_.libraries.size(); ++i) {
    const Library &library = image_.libraries[i];
    const Place &place = layout_.places[i];
    // A program that cannot be moved, without bindings, is at no known distance from the arena.
    const bool is_apart = place.is_absolute && layout_.arena == 0;
    if (!place.is_known || is_apart || !library.memory || library.is_stock_loader)
      continue;
    for (const CodeRange &function : library.code.functions())
      redirect(i, function);
  }
}

void Maker::redirect(std::size_t index, const CodeRange &function) {
  const auto code = bytes_of(image_.libraries[index], function);
  const std::uint64_t begin = layout_.base_of(index) + function.begin;
  for (const Displacement &branch : branches_out_of(code)) {
    const auto copy =
        by_original_.find(begin + static_cast<std::uint64_t>(target_of(code, branch)));
    if (copy != by_original_.end())
      put(code, branch.place, copy->second - (begin + branch.from));
  }
}

void Maker::copy(std::span<std::byte> room, std::uint64_t code_size) {
  std::ranges::fill(room.first(code_size), trap);
  for (const Copy &each : copies_)
    copy(each, room.subspan(each.offset, each.size),
         room.subspan(code_size + each.tables, each.size_of_tables),
         layout_.copies + code_size + each.tables);
}

/// `tables_at`: address of the tables in the arena.
void Maker::copy(const Copy &copy, std::span<std::byte> to, std::span<std::byte> tables,
                 std::uint64_t tables_at) {
  Library &library = image_.libraries[copy.library];
  const auto from = bytes_of(library, copy.function);
  const FunctionCode code = follow(library, copy, from);
  for (std::size_t i = 0; i < from.size(); ++i)
    if (code.is_reached[i])
      to[i] = from[i];
  const std::uint64_t original = layout_.base_of(copy.library) + copy.function.begin;
  const std::uint64_t moved = original - (layout_.copies + copy.offset);
  for (const Displacement &each : code.displacements) {
    const auto distance = static_cast<std::uint64_t>(target_of(from, each)) - each.from;
    if (!put(to, each.place, distance + moved))
      throw copy_failure(library);
  }
  const std::uint64_t here = layout_.copies + copy.offset;
  std::uint64_t place = 0; // in the tables
  for (const JumpTable &table : code.tables) {
    const std::uint64_t address = tables_at + place;
    if (!put(to, table.displacement.place, address - (here + table.displacement.from)))
      throw copy_failure(library);
    for (const std::int32_t entry : table.entries) {
      const std::int64_t target = table.offset + entry;
      const bool is_inside = target >= 0 && static_cast<std::uint64_t>(target) < from.size();
      const std::uint64_t leads_to =
          (is_inside ? here : original) + static_cast<std::uint64_t>(target);
      if (!put(tables, place, leads_to - address))
        throw copy_failure(library);
      place += sizeof entry;
    }
  }
  if (to.size() == from.size())
    return;
  to[from.size()] = jump;
  if (!put(to, from.size() + 1, moved - size_of_jump))
    throw copy_failure(library);
}

} // namespace

Result<Copies> Copies::of(const PrelinkImage &image) {
  Copies copies;
  if (image.changes.copied.empty())
    return copies;
  const auto owner = std::ranges::find_if(image.changes.packed, [&](std::size_t library) {
    return can_own_copies(image.libraries[library]);
  });
  if (owner == image.changes.packed.end())
    return std::unexpected(copy_failure(image.libraries.front()));
  copies.owner_ = *owner;
  std::map<std::size_t, std::unique_ptr<FunctionFrames>> frames;
  std::uint64_t size = 0;
  for (const Target &target : image.changes.copied) {
    const Library &library = image.libraries[target.library];
    auto &of_library = frames[target.library];
    if (!of_library)
      of_library =
          std::make_unique<FunctionFrames>(bytes_of(library.file), *library.file.unwind_table());
    const CodeRange *function = range_at(library.code.functions(), target.address);
    const unwind::Frame *frame = function != nullptr ? of_library->of(*function) : nullptr;
    const auto bytes = frame != nullptr
                           ? library.file.at(function->begin, function->end - function->begin)
                           : std::nullopt;
    const auto pads = bytes ? landing_pads_of(bytes_of(library.file), *frame) : std::unexpected("");
    const auto code = pads
                          ? follow_function(*bytes, *pads, tables_in(library.file, function->begin))
                          : std::unexpected("");
    if (!code)
      return std::unexpected(copy_failure(library));
    const std::uint64_t of_copy = bytes->size() + (code->ends_with_call ? size_of_jump : 0);
    copies.all_.push_back({.library = target.library,
                           .function = *function,
                           .frame = *frame,
                           .common = of_library->common_of(*frame),
                           .offset = size,
                           .size = of_copy,
                           .tables = copies.tables_size_,
                           .size_of_tables = size_of_tables(*code)});
    copies.tables_size_ += copies.all_.back().size_of_tables;
    size = format::up(size + of_copy, alignment);
  }
  copies.code_size_ = format::up(size);
  copies.tables_size_ = format::up(copies.tables_size_, alignment);
  copies.constants_size_ =
      format::up(copies.tables_size_ + size_of_frames(copies.all_, image.libraries[copies.owner_]));
  return copies;
}

Result<std::vector<std::byte>> Copies::make(PrelinkImage &image, const Layout &layout) const {
  try {
    Maker maker(image, layout, all_);
    maker.redirect();
    std::vector<std::byte> room(code_size_ + constants_size_);
    maker.copy(room, code_size_);
    const std::uint64_t before_frames = code_size_ + tables_size_;
    const auto frames =
        write_frames(image, layout, all_, this->room(), layout.copies + before_frames);
    std::ranges::copy(frames, room.begin() + static_cast<std::ptrdiff_t>(before_frames));
    return room;
  } catch (Failure &failure) {
    return std::unexpected(std::move(failure));
  }
}

} // namespace sartor::loader
