// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_IMAGE_H
#define SARTOR_LOADER_LIB_IMAGE_IMAGE_H

#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loader/lib/decode/call_sites.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/file_identity.h"
#include "loader/lib/file/library_memory.h"

namespace sartor::loader {

/// An address of a library's file.
struct Target {
  std::size_t library;
  std::uint64_t address;

  bool operator==(const Target &) const = default;
};

/// Where a relocation leads, with its addend, or why that is not known: few words.
using Proof = std::expected<Target, const char *>;

/// A library of a program, or the program itself.
struct Library {
  std::filesystem::path path;
  ElfFile file;
  Decoded code;                  ///< Without operands.
  format::FileIdentity identity; ///< Of the file, before it was read.
  /// What the stock loader writes into slots, by the index of the relocation, in an image that is
  /// bound: see bound_image_of().
  std::unordered_map<std::uint32_t, Target> targets = {};
  /// What relocations that have a symbol come to, by index, in an image that is bound; none of the
  /// stock loader's own, which it has made before it knows of any library. See find_proofs().
  std::unordered_map<std::uint32_t, Proof> proofs = {};
  /// Nothing if the library is of a shape that only the stock loader knows.
  std::optional<LibraryMemory> memory = {};
  /// See data_references(); empty if `unmovable`.
  std::vector<std::uint64_t> data_references = {};
  /// Why its data must stay where the file has it; empty if it need not.
  std::string unmovable = {};
  bool is_stock_loader = false;
};

/// Bytes that replace a library's own.
struct Patch {
  std::uint64_t address;
  std::vector<std::byte> bytes;
};

/// What passes change about a library.
struct LibraryChanges {
  std::vector<std::size_t> direct; ///< Call sites that lead to their targets directly: indices.
  std::set<std::uint32_t> settled; ///< Relocations that need no look-up any more: indices.
  std::vector<Patch> patches; ///< Of what is not writable, in the order in which they are made.
  std::uint64_t gap = 0;      ///< Bytes that are left free before it, if it is packed; whole pages.
  std::string domain;         ///< The isolation domain that it belongs to.
  std::set<std::uint64_t> kept; ///< Functions that nothing is bound to: addresses.
};

/// What passes change about an image.
struct Changes {
  std::vector<LibraryChanges> libraries; ///< As the image's.
  /// Libraries that are packed together: indices, ascending.
  std::vector<std::size_t> packed;
  /// For the program, unless whoever starts it has set them.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> preloaded; ///< Libraries that the program starts with besides: paths.
  /// What passes have looked at besides, as it was before.
  std::vector<KnownFile> files;
  /// What may be loaded later, besides what the program starts with; nothing: anything may.
  std::optional<std::vector<KnownFile>> admitted;
};

/// A program and all the libraries that it starts with.
struct Image {
  std::vector<Library> libraries;   ///< The program first, then as they are searched for symbols.
  std::vector<std::string> missing; ///< Names of libraries that the stock loader does not find.
  Changes changes = {};             ///< In an image that is bound.
};

/// What must change for an image to be out of date: its libraries, and what passes have looked at.
std::vector<KnownFile> files_of(const Image &image);

/// Reads and decodes one file. Fails with file_error, bad_elf.
Result<Library> library_of(const std::filesystem::path &path);

/// Reads and decodes a program and its libraries. Nothing of them is run. Fails with file_error,
/// bad_elf.
Result<Image> image_of(const std::filesystem::path &program);

/// Likewise, and has the stock loader lay out and bind the program, to see what leads where; of the
/// program, only resolvers of indirect functions run. `preload`: what it starts with besides, as
/// in LD_PRELOAD; may be empty. Fails with file_error, bad_elf, bad_plan.
Result<Image> bound_image_of(const std::filesystem::path &program, const std::string &preload = {});

} // namespace sartor::loader

#endif
