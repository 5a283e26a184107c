// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/written_image.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "loader/lib/image/symbol_file.h"

namespace sartor::loader {

namespace {

std::unexpected<Failure> failure(const std::filesystem::path &path, ErrorCode code,
                                 const char *what) {
  return std::unexpected(Failure{code, path.string(), what, "delete it: it is made anew"});
}

/// Returns all entries of a table; nothing if the plan does not contain all of them.
template <class Entry>
std::optional<std::vector<Entry>> table_of(const std::vector<std::uint64_t> &plan,
                                           const format::Table &table) {
  const std::uint64_t size = plan.size() * sizeof plan[0];
  if (table.offset > size || table.count > (size - table.offset) / sizeof(Entry))
    return std::nullopt;
  std::vector<Entry> entries(table.count);
  if (!entries.empty())
    std::memcpy(entries.data(), reinterpret_cast<const std::byte *>(plan.data()) + table.offset,
                entries.size() * sizeof(Entry));
  return entries;
}

} // namespace

std::uint64_t checksum_of(std::span<const std::byte> bytes, std::uint64_t size) {
  format::Checksum sum;
  for (std::uint64_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    if (at < bytes.size())
      std::memcpy(&word, &bytes[at], std::min<std::uint64_t>(sizeof word, bytes.size() - at));
    sum.add(word);
  }
  return sum.value();
}

Result<WrittenImage> WrittenImage::read(const std::filesystem::path &path) {
  std::error_code error;
  if (std::filesystem::symlink_status(path, error).type() != std::filesystem::file_type::regular)
    return failure(path, ErrorCode::file_error, "is no file");
  std::ifstream file(path, std::ios::binary);
  format::Header header{};
  file.seekg(format::plan_offset);
  if (!file.read(reinterpret_cast<char *>(&header), sizeof header))
    return failure(path, ErrorCode::file_error, "cannot be read");
  if (header.magic != format::magic || header.size < sizeof header || header.size % 8 != 0 ||
      header.size > format::huge_page ||
      header.image_size != std::filesystem::file_size(path, error))
    return failure(path, ErrorCode::bad_plan, "is damaged, or of another Sartor");
  std::vector<std::uint64_t> plan(header.size / sizeof(std::uint64_t));
  file.seekg(format::plan_offset);
  if (!file.read(reinterpret_cast<char *>(plan.data()), static_cast<std::streamsize>(header.size)))
    return failure(path, ErrorCode::file_error, "cannot be read");
  constexpr std::size_t unchecked =
      (offsetof(format::Header, checksum) + sizeof header.checksum) / sizeof(std::uint64_t);
  const auto files = table_of<format::File>(plan, header.files);
  const auto strings = table_of<char>(plan, header.strings);
  const auto again = table_of<std::uint64_t>(plan, header.again);
  auto mappings = table_of<format::Mapping>(plan, header.mappings);
  auto libraries = table_of<format::Library>(plan, header.libraries);
  if (format::checksum(plan.data() + unchecked, plan.size() - unchecked) != header.checksum ||
      !files || !strings || !again || !mappings || !libraries || strings->empty() ||
      strings->back() != '\0')
    return failure(path, ErrorCode::bad_plan, "is damaged: its plan");
  WrittenImage image;
  image.path_ = path;
  image.mappings_ = std::move(*mappings);
  image.libraries_ = std::move(*libraries);
  image.entry_ = header.entry;
  image.size_ = header.image_size;
  image.elf_tables_ = header.elf_tables;
  image.elf_checksum_ = header.elf_checksum;
  for (const format::File &each : *files) {
    if (each.path >= strings->size())
      return failure(path, ErrorCode::bad_plan, "is damaged: its files' names");
    image.files_.push_back({strings->data() + each.path, each.identity});
  }
  image.key_ = header.key;
  for (const std::uint64_t word : *again) {
    if (word >= strings->size())
      return failure(path, ErrorCode::bad_plan, "is damaged: its command");
    image.again_.emplace_back(strings->data() + word);
  }
  return image;
}

bool WrittenImage::is_current() const {
  return std::ranges::all_of(
      files_, [](const KnownFile &file) { return identity_of(file.path) == file.identity; });
}

std::optional<FilePlace> WrittenImage::place_of(const ElfFile &library,
                                                const format::FileIdentity &identity,
                                                std::uint64_t address) const {
  const auto file = std::ranges::find(files_, identity, &KnownFile::identity);
  if (file == files_.end())
    return std::nullopt;
  const auto index = static_cast<std::uint64_t>(file - files_.begin());
  const auto placed = std::ranges::find(libraries_, index, &format::Library::file);
  if (index != 0 && (placed == libraries_.end() || placed->header == 0))
    return std::nullopt;
  if (index == 0 && entry_ == 0) // the kernel maps the program
    return std::nullopt;
  const bool is_absolute = index == 0 && !library.is_relocatable();
  const std::uint64_t at = (index == 0 ? entry_ - library.entry() : placed->base) + address;
  for (const format::Mapping &mapping : mappings_)
    if (((mapping.flags & format::absolute) != 0) == is_absolute && at >= mapping.address &&
        at - mapping.address < mapping.size && (mapping.flags & format::zeros) == 0)
      return FilePlace{(mapping.flags & format::of_file) != 0 ? file->path : path_,
                       mapping.offset + (at - mapping.address)};
  return std::nullopt;
}

Result<void> WrittenImage::check() const {
  std::ifstream file(path_, std::ios::binary);
  const auto read = [&](std::uint64_t offset, std::uint64_t size) {
    std::vector<std::byte> bytes(size);
    file.clear();
    file.seekg(static_cast<std::streamoff>(offset));
    if (!file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(size)))
      bytes.clear();
    return bytes;
  };
  for (const format::Mapping &mapping : mappings_) {
    if ((mapping.flags & (format::zeros | format::of_file)) != 0)
      continue;
    if (mapping.size > format::greatest_arena)
      return failure(path_, ErrorCode::bad_plan, "is damaged: its mappings");
    const auto bytes = read(mapping.offset, mapping.size);
    if (bytes.size() != mapping.size)
      return failure(path_, ErrorCode::file_error, "cannot be read");
    if (checksum_of(bytes, mapping.size) != mapping.checksum)
      return failure(path_, ErrorCode::bad_plan, "is damaged: a checksum of its mappings differs");
  }
  if (elf_tables_ == 0)
    return {};
  if (elf_tables_ > size_)
    return failure(path_, ErrorCode::bad_plan, "is damaged: its ELF tables");
  const SymbolFile elf{read(0, format::page), read(elf_tables_, size_ - elf_tables_)};
  if (checksum_of(elf) != elf_checksum_)
    return failure(path_, ErrorCode::bad_plan,
                   "is damaged: the checksum of its ELF tables differs");
  return {};
}

} // namespace sartor::loader
