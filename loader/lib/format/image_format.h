// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FORMAT_IMAGE_FORMAT_H
#define SARTOR_LOADER_LIB_FORMAT_IMAGE_FORMAT_H

#include <stddef.h> // the front has no C++ library
#include <stdint.h>

#include "loader/lib/format/pages.h"

/// What an image file holds, for who writes it and for the front, which has no library at all.
///
/// An image file is a valid ELF file, so that profilers find the names of functions in it. Behind
/// the first page comes the plan (a Header and its tables), then what is mapped. Numbers are those
/// of the machine; addresses are relative to the arena, the one piece of address space into which
/// everything is mapped, unless told otherwise.
namespace sartor::loader::format {

inline constexpr uint64_t magic = 0x0034444c54524153;         // "SARTLD4"
inline constexpr uint64_t plan_offset = 4096;                 ///< In the file.
inline constexpr uint64_t greatest_arena = uint64_t{1} << 31; ///< What calls reach.

/// By which a file that has changed is told from one that has not. All zero: there is no file. Not
/// by its device: that gets another number when it is mounted again.
struct FileIdentity {
  uint64_t inode;
  uint64_t size;     ///< In bytes.
  uint64_t modified; ///< In nanoseconds since the epoch.
  uint64_t changed;  ///< Likewise; of the inode: nobody can set it back.

  bool operator==(const FileIdentity &) const = default;
};

/// A file that must be what it was when the program was planned.
struct File {
  FileIdentity identity;
  uint64_t path; ///< Offset among the strings.
};

/// A piece of the image file, or of zeros, and where it goes.
struct Mapping {
  uint64_t address;
  uint64_t size;   ///< In bytes; whole pages.
  uint64_t offset; ///< In the image file.
  uint32_t protection;
  uint32_t flags;
  uint64_t checksum; ///< Of its words in the file, for who looks after images: no start reads them.
};
inline constexpr uint32_t on_huge_pages = 1;
inline constexpr uint32_t zeros = 2;
/// The address is absolute: see is_fixed.
inline constexpr uint32_t absolute = 4;

/// A library that the stock loader will ask for.
struct Library {
  uint64_t file;   ///< Which: index among the files.
  uint64_t base;   ///< What the stock loader adds to its addresses.
  uint64_t begin;  ///< Its lowest address.
  uint64_t header; ///< Bytes from there that are the file's first, too; 0: it is not in the image.
};

/// A table: `count` entries from `offset` bytes behind the plan's beginning.
struct Table {
  uint64_t offset;
  uint64_t count;
};

/// The program starts as it is planned, or not at all.
inline constexpr uint64_t is_required = 1;
/// It loads nothing later but what is admitted, and what it starts with.
inline constexpr uint64_t is_closed = 2;
/// The program can lie in one place only: its addresses are absolute.
inline constexpr uint64_t is_fixed = 4;

struct Header {
  uint64_t magic;
  uint64_t size;       ///< Of the plan with all tables, in bytes; a multiple of 8.
  uint64_t checksum;   ///< Of the words of the plan behind this one.
  uint64_t image_size; ///< Of the whole file.
  uint64_t key;        ///< Of what it was planned for: see key.h.
  uint64_t flags;
  uint64_t until;  ///< When it is not up to date any more, in seconds since the epoch; 0: never.
  uint64_t reason; ///< Why the stock loader is to start it, if it is: offset among the strings.
  uint64_t arena_size;
  uint64_t arena;     ///< Where it must be; 0: anywhere.
  uint64_t alignment; ///< Of where it is: a power of two, of whole pages.
  // What the kernel tells of a program.
  uint64_t program_headers;
  uint64_t program_header_count;
  uint64_t entry;
  uint64_t loader; ///< Where the stock loader lies.
  uint64_t loader_entry;
  /// Whose first word says who makes the stock loader's system calls, and whose second one who
  /// hears that it tells debuggers of libraries.
  uint64_t hook_page;
  uint64_t plain_calls; ///< Code that makes them as they are.
  uint64_t plain_event; ///< Code that does not listen.
  uint64_t debug;       ///< What the stock loader tells debuggers: its `_r_debug`.
  Table files;
  Table mappings;
  Table libraries;
  Table environment; ///< Offsets among the strings, of `NAME=value`.
  Table preloaded;   ///< Likewise, of paths: what goes into LD_PRELOAD, before what is there.
  Table again;       ///< Likewise, of words: the front's command, to plan it anew.
  Table admitted;    ///< Indices among the files.
  Table strings;     ///< Bytes.
};

/// Of whole words. For damage, not for malice: who may write the file may write anything.
/// (Fowler, Noll, Vo: FNV-1a, by words, with a finalizer.)
class Checksum {
public:
  void add(uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3;
    hash_ ^= hash_ >> 29;
  }
  [[nodiscard]] uint64_t value() const { return hash_; }

private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

inline uint64_t checksum(const uint64_t *words, uint64_t count) {
  Checksum sum;
  for (uint64_t i = 0; i < count; ++i)
    sum.add(words[i]);
  return sum.value();
}

} // namespace sartor::loader::format

#endif
