// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/plan.h"

#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/stat.h>

#include "front/system.h"

namespace sartor::front {

using namespace loader::format;

namespace {

constexpr uint64_t second = 1000000000;
constexpr uint64_t size_of_program_header = 56;
constexpr uint64_t most_variables = 256; ///< The stack has room for this number of variables.

FileIdentity identity(const struct stat &status) {
  return {.inode = status.st_ino,
          .size = static_cast<uint64_t>(status.st_size),
          .modified = status.st_mtime * second + status.st_mtime_nsec,
          .changed = status.st_ctime * second + status.st_ctime_nsec};
}

} // namespace

FileIdentity identity_of(const char *path) {
  struct stat status;
  if (is_error(call(__NR_stat, path, &status)))
    return {};
  return identity(status);
}

FileIdentity identity_of(int file) {
  struct stat status;
  if (is_error(call(__NR_fstat, file, &status)))
    return {};
  return identity(status);
}

bool Plan::read(int file, uint64_t key) {
  struct stat status;
  if (is_error(call(__NR_fstat, file, &status)) || (status.st_mode & S_IFMT) != S_IFREG ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return false;
  const auto user = static_cast<uint32_t>(call(__NR_geteuid));
  if (status.st_uid != user && status.st_uid != 0)
    return false;
  is_reported_ = (status.st_mode & S_IXUSR) == 0;
  const auto file_size = static_cast<uint64_t>(status.st_size);
  if (file_size < plan_offset + sizeof(Header))
    return false;
  const uint64_t most = file_size - plan_offset;
  size_ = most < huge_page - plan_offset ? most : huge_page - plan_offset;
  void *mapped = map(0, size_, PROT_READ, MAP_PRIVATE, file, plan_offset);
  if (is_error(mapped))
    return false;
  // Readahead would bring the file's parts after the plan into the page cache as small pages.
  call(__NR_madvise, mapped, size_, MADV_RANDOM);
  header_ = static_cast<const Header *>(mapped);
  if (is_sound(file_size) && (key == 0 || header_->key == key))
    return true;
  forget();
  return false;
}

void Plan::forget() {
  if (header_ != nullptr)
    call(__NR_munmap, header_, size_);
  header_ = nullptr;
}

bool Plan::has_room(const Table &table, uint64_t entry) const {
  return table.offset % 8 == 0 && table.offset <= header_->size &&
         table.count <= (header_->size - table.offset) / entry;
}

bool Plan::is_sound(const Mapping &mapping, uint64_t file_size) const {
  const bool is_of_file = (mapping.flags & of_file) != 0;
  if (is_of_file && mapping.file >= header_->files.count)
    return false;
  const uint64_t whole =
      is_of_file ? up(table<File>(header_->files)[mapping.file].identity.size) : file_size;
  const bool in_file = (mapping.flags & zeros) != 0 ||
                       (mapping.offset <= whole && mapping.size <= whole - mapping.offset);
  const bool in_arena =
      mapping.size <= header_->arena_size && mapping.address <= header_->arena_size - mapping.size;
  const bool in_reach = (header_->flags & is_fixed) != 0 && mapping.address < greatest_arena &&
                        mapping.size <= greatest_arena - mapping.address;
  const bool is_safe = (mapping.protection & (PROT_WRITE | PROT_EXEC)) != (PROT_WRITE | PROT_EXEC);
  return in_file && is_safe && (mapping.address | mapping.size | mapping.offset) % page == 0 &&
         ((mapping.flags & absolute) != 0 ? in_reach : in_arena);
}

bool Plan::are_paths_sound() const {
  const Header &h = *header_;
  for (uint64_t i = 0; i < h.files.count; ++i)
    if (table<File>(h.files)[i].path >= h.strings.count)
      return false;
  for (uint64_t i = 0; i < h.admitted.count; ++i)
    if (table<uint64_t>(h.admitted)[i] >= h.files.count)
      return false;
  const auto are_sound = [&](const Table &strings) {
    for (uint64_t i = 0; i < strings.count; ++i)
      if (table<uint64_t>(strings)[i] >= h.strings.count)
        return false;
    return true;
  };
  return are_sound(h.environment) && are_sound(h.preloaded) && are_sound(h.again);
}

bool Plan::is_sound(uint64_t file_size) const {
  if (header_->magic != magic || header_->size < sizeof(Header) || header_->size > size_ ||
      header_->size % 8 != 0 || header_->image_size != file_size)
    return false;
  constexpr uint64_t unchecked = offsetof(Header, checksum) + sizeof(uint64_t);
  const auto *words =
      reinterpret_cast<const uint64_t *>(reinterpret_cast<const char *>(header_) + unchecked);
  if (checksum(words, (header_->size - unchecked) / 8) != header_->checksum)
    return false;
  const Header &h = *header_;
  if (!has_room(h.files, sizeof(File)) || !has_room(h.mappings, sizeof(Mapping)) ||
      !has_room(h.libraries, sizeof(Library)) || !has_room(h.environment, sizeof(uint64_t)) ||
      !has_room(h.preloaded, sizeof(uint64_t)) || !has_room(h.again, sizeof(uint64_t)) ||
      !has_room(h.admitted, sizeof(uint64_t)) || !has_room(h.strings, 1) || h.strings.count == 0 ||
      string(h.strings.count - 1)[0] != 0 || h.environment.count > most_variables ||
      h.preloaded.count > most_variables)
    return false;
  if (h.reason >= h.strings.count)
    return false;
  if (h.arena_size == 0) // the stock loader is to start the program
    return h.mappings.count == 0 && h.libraries.count == 0 && are_paths_sound();
  // Limit of the program's addresses: the arena for a program that can be moved, or the highest
  // arena for one at fixed low addresses.
  const uint64_t of_program = (h.flags & is_fixed) == 0 ? h.arena_size : greatest_arena;
  if (h.entry >= of_program || h.program_headers >= of_program ||
      h.program_header_count > (of_program - h.program_headers) / size_of_program_header)
    return false;
  if (h.arena_size > greatest_arena || h.arena_size % huge_page != 0 || h.alignment < page ||
      h.alignment > greatest_arena || (h.alignment & (h.alignment - 1)) != 0 ||
      h.arena % h.alignment != 0 || h.arena > greatest_arena - h.arena_size ||
      ((h.flags & is_fixed) == 0 && h.arena != 0) || h.loader >= h.arena_size ||
      h.loader_entry >= h.arena_size || h.hook_page > h.arena_size - page ||
      h.hook_page % page != 0 || h.plain_calls >= h.arena_size || h.plain_event >= h.arena_size ||
      h.debug > h.arena_size - page)
    return false;
  if (!are_paths_sound())
    return false;
  for (uint64_t i = 0; i < h.mappings.count; ++i)
    if (!is_sound(table<Mapping>(h.mappings)[i], file_size))
      return false;
  for (uint64_t i = 0; i < h.libraries.count; ++i) {
    const Library &library = table<Library>(h.libraries)[i];
    if (library.file >= h.files.count || library.begin > h.arena_size ||
        library.header > h.arena_size - library.begin)
      return false;
  }
  return true;
}

const char *Plan::changed_file() const {
  for (uint64_t i = 0; i < header_->files.count; ++i) {
    const File &file = table<File>(header_->files)[i];
    if (identity_of(string(file.path)) != file.identity)
      return string(file.path);
  }
  return nullptr;
}

} // namespace sartor::front
