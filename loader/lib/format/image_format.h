// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FORMAT_IMAGE_FORMAT_H
#define SARTOR_LOADER_LIB_FORMAT_IMAGE_FORMAT_H

#include <stddef.h> // the front has no C++ library
#include <stdint.h>

#include "loader/lib/format/pages.h"

/// Format of an image file, for the code that writes it and for the front, which has no library at
/// all.
///
/// An image file is a valid ELF file, so that tracers and profilers find functions and static
/// probes in it. After the first page, which has the ELF header, comes the plan (a Header and its
/// tables), then the content to map, then the ELF tables. Numbers have the machine's byte order.
/// Addresses are relative to the arena, the one part of the address space into which everything is
/// mapped, unless stated otherwise.
namespace sartor::loader::format {

inline constexpr uint64_t magic = 0x0036444c54524153;         // "SARTLD6"
inline constexpr uint64_t plan_offset = 4096;                 ///< Offset in the file.
inline constexpr uint64_t greatest_arena = uint64_t{1} << 31; ///< Reach of a call instruction.

/// Identifies the version of a file, to detect changes. All zero: there is no file. The device is
/// not included: it gets another number when it is mounted again.
struct FileIdentity {
  uint64_t inode;
  uint64_t size;     ///< In bytes.
  uint64_t modified; ///< In nanoseconds since the epoch.
  uint64_t changed;  ///< Inode change time, in the same unit: no user can set it back.

  bool operator==(const FileIdentity &) const = default;
};

/// A file that must be unchanged since the program was planned.
struct File {
  FileIdentity identity;
  uint64_t path; ///< Offset in the strings.
};

/// A part of the image file, of a library's own file, or of zeros, and the address it is mapped at.
struct Mapping {
  uint64_t address;
  uint64_t size;   ///< In bytes; whole pages.
  uint64_t offset; ///< Offset in the file.
  uint64_t file;   ///< With of_file: index in the files. Otherwise 0.
  uint32_t protection;
  uint32_t flags;
  uint64_t checksum; ///< Checksum of its words in the file. No start verifies it; tools do.
};
inline constexpr uint32_t on_huge_pages = 1;
inline constexpr uint32_t zeros = 2;
/// The address is absolute: see is_fixed.
inline constexpr uint32_t absolute = 4;
/// The file is that of the program or of a library, not the image.
inline constexpr uint32_t of_file = 8;
/// A part of the image file that is copied into an earlier mapping.
inline constexpr uint32_t copied = 16;

/// A library that the stock loader will open.
struct Library {
  uint64_t file;   ///< Index in the files.
  uint64_t base;   ///< Base that the stock loader adds to the library's addresses.
  uint64_t begin;  ///< Lowest address of the library.
  uint64_t header; ///< Number of bytes from there that equal the file's first bytes; 0: the library
                   ///< is not in the image.
};

/// A table: `count` entries at `offset` bytes from the plan's beginning.
struct Table {
  uint64_t offset;
  uint64_t count;
};

/// The program starts as planned, or not at all.
inline constexpr uint64_t is_required = 1;
/// The program may later load admitted libraries and those that it starts with, and no others.
inline constexpr uint64_t is_closed = 2;
/// The program cannot be moved: its addresses are absolute.
inline constexpr uint64_t is_fixed = 4;
/// The program's shape is unknown: it stays as the kernel has mapped it, and only its libraries are
/// mapped as planned.
inline constexpr uint64_t keeps_program = 8;

struct Header {
  uint64_t magic;
  uint64_t size;       ///< Size of the plan with all tables in bytes; a multiple of 8.
  uint64_t checksum;   ///< Checksum of the plan's words after this one.
  uint64_t image_size; ///< Size of the whole file in bytes.
  uint64_t key;        ///< Key of the inputs that it was planned for: see key.h.
  uint64_t flags;
  uint64_t until;  ///< Time at which the plan expires, in seconds since the epoch; 0: never.
  uint64_t reason; ///< The reason why the stock loader is to start the program, if it is, or an
                   ///< unreported message: offset in the strings.
  uint64_t arena_size;
  uint64_t arena;     ///< Required address of the arena; 0: any.
  uint64_t alignment; ///< Alignment of the arena: a power of two, at least a page.
  // Values of the auxiliary vector.
  uint64_t program_headers;
  uint64_t program_header_count;
  uint64_t entry;
  uint64_t loader; ///< Address of the stock loader.
  uint64_t loader_entry;
  /// Address of the hook page. Its first word is the function that makes the stock loader's system
  /// calls; its second word is the function that receives its debugger events.
  uint64_t hook_page;
  uint64_t plain_calls; ///< Code that makes system calls unchanged.
  uint64_t plain_event; ///< Code that ignores the event.
  uint64_t debug;       ///< The stock loader's `_r_debug`, which it maintains for debuggers.
  Table files;
  Table mappings;
  Table libraries;
  Table environment; ///< Offsets in the strings, of `NAME=value`.
  Table preloaded; ///< Offsets in the strings, of paths to insert before the content of LD_PRELOAD.
  Table again;     ///< Offsets in the strings, of words: the front's command that plans the program
                   ///< again.
  Table admitted;  ///< Indices in the files.
  Table strings;   ///< Bytes of all strings.
  uint64_t elf_tables; ///< Offset of the ELF tables, which end with the file; 0: there are none.
  /// Checksum of the first page and the ELF tables. No start verifies it; tools do.
  uint64_t elf_checksum;
};

/// A checksum of whole words. It detects damage, not tampering: a user who may write the file can
/// also write the checksum. (Fowler, Noll, Vo: FNV-1a, by words, with a finalizer.)
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
