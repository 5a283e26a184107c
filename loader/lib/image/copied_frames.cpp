// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/copied_frames.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include <elf.h>

#include "base/raw_bytes.h"
#include "loader/lib/format/image_format.h"

namespace sartor::loader {

namespace {

/// The unwinders' search table: a header, then an entry for each function.
struct TableHeader {
  std::uint8_t version = 1;
  std::uint8_t of_frames = unwind::relative_to_itself | unwind::sdata4;
  std::uint8_t of_count = unwind::udata4;
  std::uint8_t of_table = unwind::relative_to_header | unwind::sdata4;
  std::int32_t frames = 0; ///< Distance of the unwind information from this field.
  std::uint32_t count = 0;
};
struct TableEntry {
  std::int32_t function; ///< Distances from the table.
  std::int32_t frame;
};

constexpr std::uint64_t end_of_frames = 4;

Failure frames_failure(const Library &library) {
  return {ErrorCode::bad_plan, library.path.string(),
          "unwind information of its copied functions cannot be written",
          "the stock loader starts it as before"};
}

std::uint32_t count_of(const Library &owner) {
  TableHeader header;
  std::memcpy(&header, owner.file.at(*owner.file.unwind_table(), sizeof header)->data(),
              sizeof header);
  return header.count;
}

bool is_8_bytes(unsigned encoding) {
  const unsigned format = encoding & unwind::format_mask;
  return format == unwind::absolute || format == unwind::udata8 || format == unwind::sdata8;
}

/// Writes unwind information of copies.
class Writer {
public:
  Writer(PrelinkImage &image, const Layout &layout, const CopyRoom &room, std::uint64_t at)
      : image_(image), layout_(layout), room_(room), at_(at) {}

  std::vector<std::byte> write(std::span<const Copy> copies);

private:
  /// Address in the arena of the next byte that is written.
  [[nodiscard]] std::uint64_t here() const { return at_ + bytes_.size(); }
  std::uint64_t append(std::size_t library, const CodeRange &range);
  std::uint64_t common_of(const Copy &copy);
  void write_frame(const Copy &copy);
  void write_table();
  void publish(std::uint64_t table);
  void put_distance(std::uint64_t place, std::uint64_t target);
  void move_pointer(std::uint64_t place, std::uint64_t from, unsigned encoding);
  [[nodiscard]] Library &owner() const { return image_.libraries[room_.owner]; }

  PrelinkImage &image_;
  const Layout &layout_;
  const CopyRoom &room_;
  const std::uint64_t at_;
  std::vector<std::byte> bytes_;
  /// Addresses of written common entries, by library and address in it.
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> commons_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries_; ///< Functions and their entries.
};

std::vector<std::byte> Writer::write(std::span<const Copy> copies) {
  for (const Copy &copy : copies)
    write_frame(copy);
  bytes_.resize(bytes_.size() + end_of_frames);
  write_table();
  return std::move(bytes_);
}

/// Appends a part of a library's memory; returns its new address.
std::uint64_t Writer::append(std::size_t library, const CodeRange &range) {
  const std::uint64_t address = here();
  const auto from = image_.libraries[library].memory->at(range.begin, range.end - range.begin);
  if (from.empty())
    throw frames_failure(image_.libraries[library]);
  bytes_.insert(bytes_.end(), from.begin(), from.end());
  return address;
}

/// Writes the distance from a place in the arena to a target.
void Writer::put_distance(std::uint64_t place, std::uint64_t target) {
  const auto distance = static_cast<std::int64_t>(target - place);
  if (!std::in_range<std::int32_t>(distance))
    throw frames_failure(owner());
  const auto value = static_cast<std::int32_t>(distance);
  std::memcpy(&bytes_[place - at_], &value, sizeof value);
}

/// Corrects a pointer at `place` that has been copied from `from`.
void Writer::move_pointer(std::uint64_t place, std::uint64_t from, unsigned encoding) {
  if ((encoding & unwind::relation_mask) != unwind::relative_to_itself)
    return;
  const std::uint64_t at = place - at_;
  if (is_8_bytes(encoding)) {
    if (const auto distance = base::value_at<std::uint64_t>(bytes_, at); distance != 0) {
      const std::uint64_t value = distance + from - place;
      std::memcpy(&bytes_[at], &value, sizeof value);
    }
    return;
  }
  if (const auto distance = base::value_at<std::int32_t>(bytes_, at); distance != 0)
    put_distance(place, from + static_cast<std::uint64_t>(std::int64_t{distance}));
}

std::uint64_t Writer::common_of(const Copy &copy) {
  const auto [entry, is_new] = commons_.try_emplace({copy.library, copy.frame.common});
  if (is_new) {
    const std::uint64_t from = copy.frame.common;
    entry->second = append(copy.library, {from, copy.common.end});
    if (const auto &personality = copy.common.personality)
      move_pointer(entry->second + (personality->place - from),
                   layout_.base_of(copy.library) + personality->place, personality->encoding);
  }
  return entry->second;
}

void Writer::write_frame(const Copy &copy) {
  const std::uint64_t common = common_of(copy);
  const std::uint64_t place = append(copy.library, copy.frame.place);
  constexpr std::uint64_t back = 4, begin = 8, length = 12;
  const auto distance = static_cast<std::uint32_t>(place + back - common);
  std::memcpy(&bytes_[place + back - at_], &distance, sizeof distance);
  put_distance(place + begin, layout_.copies + copy.offset);
  const auto size = static_cast<std::uint32_t>(copy.size);
  std::memcpy(&bytes_[place + length - at_], &size, sizeof size);
  if (const std::uint64_t from = copy.frame.language_data_place; from != 0)
    move_pointer(place + (from - copy.frame.place.begin), layout_.base_of(copy.library) + from,
                 *copy.common.language_data);
  entries_.emplace_back(layout_.copies + copy.offset, place);
}

/// Writes a table of the owner's functions and the copies.
void Writer::write_table() {
  Library &owner = this->owner();
  const std::uint64_t of_file = *owner.file.unwind_table();
  const std::uint64_t old = layout_.base_of(room_.owner) + of_file;
  const auto signed_distance = [](std::int32_t distance) {
    return static_cast<std::uint64_t>(std::int64_t{distance});
  };
  const std::uint32_t count = count_of(owner);
  const auto table = owner.memory->at(of_file, sizeof(TableHeader) + count * sizeof(TableEntry));
  if (table.empty())
    throw frames_failure(owner);
  auto header = base::value_at<TableHeader>(table, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto entry = base::value_at<TableEntry>(table, sizeof header + i * sizeof(TableEntry));
    entries_.emplace_back(old + signed_distance(entry.function),
                          old + signed_distance(entry.frame));
  }
  std::ranges::sort(entries_);
  bytes_.resize(format::up(here(), alignof(TableHeader)) - at_);
  const std::uint64_t address = here();
  bytes_.resize(bytes_.size() + sizeof header + entries_.size() * sizeof(TableEntry));
  constexpr std::uint64_t of_frames = offsetof(TableHeader, frames);
  const std::uint64_t frames = old + of_frames + signed_distance(header.frames);
  header.count = static_cast<std::uint32_t>(entries_.size());
  std::memcpy(&bytes_[address - at_], &header, sizeof header);
  put_distance(address + of_frames, frames);
  std::uint64_t at = address + sizeof header;
  for (const auto &[function, frame] : entries_) {
    // Both distances count from the table.
    for (const std::uint64_t target : {function, frame}) {
      const auto distance = static_cast<std::int64_t>(target - address);
      if (!std::in_range<std::int32_t>(distance))
        throw frames_failure(owner);
      const auto value = static_cast<std::int32_t>(distance);
      std::memcpy(&bytes_[at - at_], &value, sizeof value);
      at += sizeof value;
    }
  }
  publish(address);
}

/// Makes the owner's program headers describe the copies, too.
void Writer::publish(std::uint64_t table) {
  Library &owner = this->owner();
  const std::uint64_t base = layout_.base_of(room_.owner);
  std::uint64_t last_readonly = 0;
  for (const Segment &segment : owner.file.segments())
    if (!segment.protection.write)
      last_readonly = segment.address;
  for (std::size_t i = 0; i < owner.file.program_headers().size(); ++i) {
    const auto bytes = owner.memory->at(owner.memory->begin + owner.file.program_headers_offset() +
                                            i * sizeof(Elf64_Phdr),
                                        sizeof(Elf64_Phdr));
    auto header = base::value_at<Elf64_Phdr>(bytes, 0);
    if (header.p_type == PT_GNU_EH_FRAME) {
      header.p_vaddr = header.p_paddr = table - base;
      header.p_filesz = header.p_memsz = here() - table;
    } else if (header.p_type == PT_LOAD && header.p_vaddr == last_readonly &&
               (header.p_flags & PF_W) == 0) {
      header.p_filesz = header.p_memsz = layout_.copies + room_.size - base - header.p_vaddr;
    }
    std::memcpy(bytes.data(), &header, sizeof header);
  }
}

} // namespace

std::uint64_t size_of_frames(std::span<const Copy> copies, const Library &owner) {
  std::set<std::pair<std::size_t, std::uint64_t>> commons;
  std::uint64_t size = end_of_frames + sizeof(TableHeader) + alignof(TableHeader) +
                       count_of(owner) * sizeof(TableEntry);
  for (const Copy &copy : copies) {
    if (commons.emplace(copy.library, copy.frame.common).second)
      size += copy.common.end - copy.frame.common;
    size += copy.frame.place.end - copy.frame.place.begin + sizeof(TableEntry);
  }
  return size;
}

std::vector<std::byte> write_frames(PrelinkImage &image, const Layout &layout,
                                    std::span<const Copy> copies, const CopyRoom &room,
                                    std::uint64_t at) {
  return Writer(image, layout, room, at).write(copies);
}

} // namespace sartor::loader
