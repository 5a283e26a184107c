// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/layout.h"

#include <algorithm>

#include "loader/lib/format/image_format.h"
#include "loader/lib/image/moved_data.h"

namespace sartor::loader {

namespace {

using format::down;
using format::huge_page;
using format::page;
using format::up;

// The range is within the reach of calls from programs at 4 MiB. It is above the memory that their
// heap soon uses, in case the front cannot move the heap.
constexpr std::uint64_t lowest_arena = 0x50000000;
constexpr std::uint64_t highest_arena_end = 0x7f000000;

std::uint64_t alignment_of(const ElfFile &file) {
  std::uint64_t alignment = page;
  for (const Segment &segment : file.segments())
    alignment = std::max(alignment, segment.alignment);
  return alignment;
}

class Surveyor {
public:
  Surveyor(const PrelinkImage &image, std::size_t loader, const CopyRoom &copies)
      : image_(image), loader_(loader), copies_(copies) {
    layout_.places.resize(image.libraries.size());
  }

  Layout lay_out(std::uint64_t random) {
    lay_out_zone();
    lay_out_data();
    place_unpacked(loader_);
    for (std::size_t i = 0; i < image_.libraries.size(); ++i)
      if (!layout_.places[i].is_known && image_.libraries[i].memory)
        place_unpacked(i);
    layout_.answers = at_;
    layout_.stubs = at_ + page;
    at_ = layout_.stubs + 2 * page;
    layout_.size = up(at_, huge_page);
    layout_.alignment = layout_.zone_end > 0 ? huge_page : page;
    for (std::size_t i = 0; i < image_.libraries.size(); ++i)
      if (layout_.places[i].is_known && !layout_.places[i].is_absolute)
        layout_.alignment = std::max(layout_.alignment, alignment_of(image_.libraries[i].file));
    const std::uint64_t lowest = up(lowest_arena, layout_.alignment);
    if (is_bound_to_fixed() && lowest + layout_.size <= highest_arena_end) {
      const std::uint64_t choices = (highest_arena_end - lowest - layout_.size) / layout_.alignment;
      layout_.arena = lowest + random % (choices + 1) * layout_.alignment;
    }
    return std::move(layout_);
  }

  /// True if code or data of the program refers to a library, or the reverse.
  [[nodiscard]] bool is_bound_to_fixed() const {
    if (!is_fixed() || !image_.libraries.front().memory)
      return false;
    const auto is_of_program = [](const Target &function) { return function.library == 0; };
    if (std::ranges::any_of(image_.changes.copied, is_of_program))
      return true;
    for (std::size_t i = 0; i < image_.libraries.size(); ++i) {
      const Library &library = image_.libraries[i];
      for (const std::size_t site : image_.changes.libraries[i].direct) {
        const auto target = library.targets.find(library.code.sites[site].relocation);
        if (target != library.targets.end() && (i == 0) != (target->second.library == 0))
          return true;
      }
      for (const std::uint32_t relocation : image_.changes.libraries[i].settled)
        if ((i == 0) != (library.proofs.at(relocation)->library == 0))
          return true;
    }
    return false;
  }

private:
  [[nodiscard]] bool is_fixed() const { return !image_.libraries.front().file.is_relocatable(); }
  [[nodiscard]] const LibraryMemory &memory(std::size_t library) const {
    return *image_.libraries[library].memory;
  }

  /// Returns the size of a packed library, including the range of its data in the file, though the
  /// data is elsewhere. Debuggers know only the file, and would attribute other contents of that
  /// range to this library.
  [[nodiscard]] std::uint64_t packed_size(std::size_t library) const {
    return memory(library).data_end - memory(library).begin + gap(library);
  }
  [[nodiscard]] std::uint64_t gap(std::size_t library) const {
    return image_.changes.libraries[library].gap;
  }

  /// Returns the number of huge pages that a range touches.
  static std::uint64_t huge_pages(std::uint64_t begin, std::uint64_t end) {
    return (up(end, huge_page) - begin / huge_page * huge_page) / huge_page;
  }

  /// Returns the begin of the copies, below `top`: there, or below the next huge page's begin if
  /// they touch fewer huge pages there.
  [[nodiscard]] std::uint64_t place_copies(std::uint64_t top) const {
    const std::uint64_t lower = top / huge_page * huge_page;
    const bool is_better = lower >= copies_.size && huge_pages(lower - copies_.size, lower) <
                                                        huge_pages(top - copies_.size, top);
    return (is_better ? lower : top) - copies_.size;
  }

  /// Places the program first from the top: its data follows at the file's distance, as debuggers
  /// expect of programs.
  void lay_out_zone() {
    const bool has_program = image_.libraries.front().memory.has_value();
    if (is_fixed() && has_program)
      layout_.places.front() = {.is_known = true, .base = 0, .delta = 0, .is_absolute = true};
    if (image_.changes.packed.empty())
      return;
    const bool with_program = !is_fixed() && has_program;
    const std::uint64_t alignment = alignment_of(image_.libraries.front().file);
    std::uint64_t size =
        with_program ? up(memory(0).begin % alignment + memory(0).readonly.size(), alignment) : 0;
    for (const std::size_t library : image_.changes.packed)
      size += packed_size(library) + memory(library).alignment - page;
    if (copies_.size > 0)
      size += copies_.size + huge_page;
    layout_.zone_end = up(size, std::max(huge_page, with_program ? alignment : 0));
    std::uint64_t top = layout_.zone_end;
    if (with_program) {
      const std::uint64_t base = (top - memory(0).readonly_end()) & ~(alignment - 1);
      layout_.places.front() = {.is_known = true, .base = base};
      top = base + memory(0).begin;
      at_ = base + memory(0).data_end;
    }
    at_ = std::max(at_, layout_.zone_end);
    for (const std::size_t library : image_.changes.packed) {
      if (copies_.size > 0 && library == copies_.owner)
        top = layout_.copies = place_copies(top);
      const std::uint64_t base =
          down(top - packed_size(library) - memory(library).begin, memory(library).alignment);
      layout_.places[library] = {.is_known = true, .base = base};
      top = base + memory(library).begin;
    }
    // A mostly empty huge page is not worth its memory.
    const bool is_mostly_empty = top > huge_page / 4 * 3 && layout_.zone_end > huge_page;
    layout_.zone_begin = is_mostly_empty ? top : 0;
  }

  /// Keeps the file's addresses aligned, which need not begin at an aligned one.
  void place_unpacked(std::size_t library) {
    const std::uint64_t base =
        up(at_ - memory(library).begin, alignment_of(image_.libraries[library].file));
    layout_.places[library] = {.is_known = true, .base = base};
    at_ = base + memory(library).data_end;
  }

  /// Places data upwards, while code is placed downwards. The stock loader attributes an address to
  /// the first library that begins below it and ends above it, even if other libraries are between.
  void lay_out_data() {
    layout_.data_begin = at_;
    for (const std::size_t library : image_.changes.packed) {
      at_ += gap(library);
      Place &place = layout_.places[library];
      place.delta = static_cast<std::int64_t>(
          up(at_ - (place.base + memory(library).data_begin), memory(library).alignment));
      at_ = place.base + memory(library).data_end + static_cast<std::uint64_t>(place.delta);
    }
    layout_.data_end = at_;
  }

  const PrelinkImage &image_;
  const std::size_t loader_;
  const CopyRoom copies_;
  Layout layout_;
  std::uint64_t at_ = 0;
};

} // namespace

std::optional<std::uint64_t> Layout::address_of(const PrelinkImage &image, Target target) const {
  const Place &place = places[target.library];
  if (!place.is_known)
    return std::nullopt;
  const bool is_data = image.libraries[target.library].memory->is_data(target.address);
  return base_of(target.library) + target.address +
         static_cast<std::uint64_t>(is_data ? place.delta : 0);
}

Result<Layout> lay_out(const PrelinkImage &image, std::size_t loader, std::uint64_t random,
                       const CopyRoom &copies) {
  Surveyor surveyor(image, loader, copies);
  const bool is_in_one_place = surveyor.is_bound_to_fixed();
  Layout layout = surveyor.lay_out(random);
  if (layout.size > format::greatest_arena / 4 * 3 || (is_in_one_place && layout.arena == 0))
    return std::unexpected(Failure{ErrorCode::bad_plan, image.libraries.front().path.string(),
                                   "its libraries are too large to lie within reach of each other",
                                   "the stock loader starts it as before"});
  return layout;
}

} // namespace sartor::loader
