// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/ahead_of_time.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "base/build_stamp.h"
#include "base/file/private_file.h"
#include "base/loaded_object.h"
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

template <class T> bool take(std::string_view bytes, std::uint64_t at, T &value) {
  if (at > bytes.size() || bytes.size() - at < sizeof value)
    return false;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return true;
}

struct Section {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

std::optional<Section> find_section(const base::FileHandle &file, std::string_view wanted) {
  Elf64_Ehdr header;
  if (!take(read_at(file, 0, sizeof header), 0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_shentsize != sizeof(Elf64_Shdr))
    return std::nullopt;
  const std::string sections =
      read_at(file, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  Elf64_Shdr section;
  if (!take(sections, std::uint64_t{header.e_shstrndx} * sizeof section, section))
    return std::nullopt;
  const std::string names = read_at(file, section.sh_offset, section.sh_size);
  const std::string whole = std::string(wanted) + '\0';
  for (std::uint64_t i = 0; take(sections, i * sizeof section, section); ++i)
    if (section.sh_type == SHT_PROGBITS && section.sh_name < names.size() &&
        std::string_view(names).substr(section.sh_name).starts_with(whole))
      return Section{section.sh_offset, section.sh_size};
  return std::nullopt;
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
    bytes.append(reinterpret_cast<const char *>(&entry), sizeof entry);
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
  Header header;
  if (!section || !take(read_at(file, section->offset, sizeof header), 0, header) ||
      std::string_view(header.magic, sizeof header.magic) != kMagic || header.pieces > kMostPieces)
    return nullptr;
  const std::string index =
      read_at(file, section->offset + sizeof header, header.pieces * sizeof(IndexEntry));
  IndexEntry entry;
  for (std::size_t at = 0; take(index, at, entry); at += sizeof entry)
    if (entry.offset <= section->bytes && entry.bytes <= section->bytes - entry.offset)
      found->places_.emplace(entry.key, Place{section->offset + entry.offset, entry.bytes});
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
