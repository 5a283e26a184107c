// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/ahead_of_time.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "base/build_stamp.h"
#include "base/file/elf_sections.h"
#include "base/file/private_file.h"
#include "base/loaded_object.h"
#include "base/raw_bytes.h"
#include "core/cache/stored_image.h"
#include "core/image/processor.h"

namespace sartor::core {

namespace {

constexpr std::string_view kMagic("SARTPRE\1", 8);
constexpr std::uint64_t kMostPieces = 1U << 16;

struct Header {
  char magic[8];
  std::uint64_t pieces;
};
struct IndexEntry {
  base::ContentKey key;
  std::uint64_t offset; ///< In the section.
  std::uint64_t bytes;
};
static_assert(sizeof(IndexEntry) == 48);

base::FileHandle open_file(const std::filesystem::path &path) {
  return base::FileHandle(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

/// Reads the available part of those bytes.
std::string read_at(const base::FileHandle &file, std::uint64_t offset, std::uint64_t bytes) {
  std::string text(std::min(bytes, kMostStoredBytes), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = pread(file.get(), text.data() + done, text.size() - done,
                              static_cast<off_t>(offset + done));
    if (got <= 0)
      break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

template <class T> std::optional<T> entry_of(std::string_view bytes, std::uint64_t index) {
  return base::entry_of<T>(std::as_bytes(std::span(bytes)), index);
}

struct Section {
  std::uint64_t offset;
  std::uint64_t bytes;
};

std::optional<Section> find_section(const base::FileHandle &file, std::string_view wanted) {
  std::optional<Section> found;
  base::for_each_section(
      [&](std::uint64_t offset, std::uint64_t bytes) { return read_at(file, offset, bytes); },
      [&](std::string_view name, const Elf64_Shdr &header) {
        if (!found && header.sh_type == SHT_PROGBITS && name == wanted)
          found = Section{header.sh_offset, header.sh_size};
      });
  return found;
}

/// Name of the file that contains an address; for the program itself, a name that stays valid when
/// its file is moved or removed.
std::filesystem::path file_of(const void *address) {
  const link_map *map = base::loaded_object(address);
  if (!map)
    return {};
  return map->l_name && *map->l_name ? map->l_name : "/proc/self/exe";
}

} // namespace

std::string pack_pieces(const std::map<base::ContentKey, std::string> &pieces) {
  Header header{};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  header.pieces = pieces.size();
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  std::uint64_t offset = sizeof header + pieces.size() * sizeof(IndexEntry);
  for (const auto &[key, piece] : pieces) {
    const IndexEntry entry{key, offset, piece.size()};
    base::append_raw(bytes, entry);
    offset += piece.size();
  }
  for (const auto &[key, piece] : pieces)
    bytes += piece;
  return bytes;
}

// The builds of LLVM and of the mathematics library are not included: the machine that runs the
// code may have others, or none.
Making made_for(std::string processor) {
  return {std::move(processor), std::string(base::kBuildStamp) + " ahead of time"};
}

std::shared_ptr<const AheadOfTimeImages> AheadOfTimeImages::of(const void *address) {
  auto found = std::make_shared<AheadOfTimeImages>();
  found->file_ = file_of(address);
  const base::FileHandle file = open_file(found->file_);
  const auto section = find_section(file, kAheadOfTimeSection);
  if (!section)
    return nullptr;
  const auto header = entry_of<Header>(read_at(file, section->offset, sizeof(Header)), 0);
  if (!header || std::string_view(header->magic, sizeof header->magic) != kMagic ||
      header->pieces > kMostPieces)
    return nullptr;
  const std::string index =
      read_at(file, section->offset + sizeof(Header), header->pieces * sizeof(IndexEntry));
  for (std::size_t i = 0; const auto entry = entry_of<IndexEntry>(index, i); ++i)
    if (entry->offset <= section->bytes && entry->bytes <= section->bytes - entry->offset)
      found->places_.emplace(entry->key, Place{section->offset + entry->offset, entry->bytes});
  found->makings_.push_back(made_for(core::this_processor()));
  for (const std::string &level : core::levels_of_this_processor())
    found->makings_.push_back(made_for(level));
  return found;
}

// The file is not kept open: programs close descriptors that they do not know.
std::optional<std::string> AheadOfTimeImages::find(const base::ContentKey &key) const {
  const auto place = places_.find(key);
  if (place == places_.end())
    return std::nullopt;
  const std::string bytes = read_at(open_file(file_), place->second.offset, place->second.bytes);
  const auto stored = unpack_stored(bytes);
  if (!stored || stored->key != key)
    return std::nullopt;
  return std::string(stored->image);
}

} // namespace sartor::core
