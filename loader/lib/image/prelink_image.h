// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_PRELINK_IMAGE_H
#define SARTOR_LOADER_LIB_IMAGE_PRELINK_IMAGE_H

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
#include "loader/lib/stock/stock_loader.h"

namespace sartor::loader {

/// An address of a library's file.
struct Target {
  std::size_t library;
  std::uint64_t address;

  bool operator==(const Target &) const = default;
};

/// The target of a relocation, including its addend, or a short reason why it is unknown.
using Proof = std::expected<Target, const char *>;

/// A library of a program, or the program itself.
struct Library {
  std::filesystem::path path;
  ElfFile file;
  Decoded code;                  ///< Operands have been removed.
  format::FileIdentity identity; ///< Identity of the file before it was read.
  /// Values that the stock loader writes into slots, by index of the relocation, in a bound image:
  /// see bound_image_of().
  std::unordered_map<std::uint32_t, Target> targets = {};
  /// Targets of relocations with a symbol, by index, in a bound image. Excludes the stock loader's
  /// own, which it applies before it knows any library. See find_proofs().
  std::unordered_map<std::uint32_t, Proof> proofs = {};
  /// Empty if only the stock loader can handle the library's shape.
  std::optional<LibraryMemory> memory = {};
  /// Result of data_references(); empty if `unmovable` is set.
  std::vector<std::uint64_t> data_references = {};
  /// The reason why the data must stay at its position in the file; empty if it may move.
  std::string unmovable = {};
  bool is_stock_loader = false;
};

/// Bytes that replace bytes of a library.
struct Patch {
  std::uint64_t address;
  std::vector<std::byte> bytes;
};

/// Changes to a library by passes.
struct LibraryChanges {
  std::vector<std::size_t> direct; ///< Indices of call sites that lead to their targets directly.
  std::set<std::uint32_t> settled; ///< Indices of relocations that no longer need a symbol lookup.
  std::vector<Patch> patches;      ///< Patches of read-only memory, in order of application.
  std::uint64_t gap = 0; ///< Bytes to leave free before the library if it is packed; whole pages.
  std::string domain;    ///< The isolation domain that it belongs to.
  std::set<std::uint64_t> kept;   ///< Addresses of functions that nothing is bound to.
  std::set<std::uint64_t> copied; ///< Addresses of functions that are copied.
};

/// Changes to an image by passes.
struct Changes {
  std::vector<LibraryChanges> libraries; ///< Same order as the image's libraries.
  /// Indices of libraries that are packed together, ascending.
  std::vector<std::size_t> packed;
  /// All libraries' copied functions, in the order of their copies. Copyable approves of them.
  std::vector<Target> copied;
  /// Variables for the program; they replace those of the user.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> preloaded; ///< Paths of additional libraries at start.
  /// Other files that passes have read, with their identities before.
  std::vector<KnownFile> files;
  /// Libraries that may be loaded later, in addition to those that the program starts with. Empty
  /// optional: any.
  std::optional<std::vector<KnownFile>> admitted;
  /// Pages that no pass has changed are mapped from the libraries' own files, so that tracers find
  /// them there. Then nothing is packed, and call sites stay as they are.
  bool is_observable = false;
};

/// A program and all the libraries that it starts with.
struct PrelinkImage {
  std::vector<Library> libraries;   ///< The program, then libraries in search order.
  std::vector<std::string> missing; ///< Names of libraries that the stock loader does not find.
  Changes changes = {};             ///< Only in a bound image.
};

/// Returns the files whose change makes an image out of date: its libraries, and files that passes
/// have read.
std::vector<KnownFile> files_of(const PrelinkImage &image);

/// Reads and decodes one file. `loader`: path of the stock loader. Fails with file_error, bad_elf.
Result<Library> library_of(const std::filesystem::path &path,
                           const std::filesystem::path &loader = stock_loader);

/// Reads and decodes a program and its libraries, without running any of them. Fails with
/// file_error, bad_elf.
Result<PrelinkImage> image_of(const std::filesystem::path &program);

/// Reads the image like image_of(), and lets the stock loader lay out and bind the program to find
/// the targets of references. Of the program, only resolvers of indirect functions run; they run
/// again if a file may have changed meanwhile. `preload`: additional libraries, in the format of
/// LD_PRELOAD; may be empty. Fails with file_error, bad_elf, bad_plan.
Result<PrelinkImage> bound_image_of(const std::filesystem::path &program,
                                    const std::string &preload = {});

} // namespace sartor::loader

#endif
