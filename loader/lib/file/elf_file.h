// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_ELF_FILE_H
#define SARTOR_LOADER_LIB_FILE_ELF_FILE_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

#include "base/result.h"

namespace sartor::loader {

/// Protection of memory.
struct Protection {
  bool read = false;
  bool write = false;
  bool execute = false;

  bool operator==(const Protection &) const = default;
};

/// A PT_LOAD segment. Addresses are those of the file; they begin near 0 in a relocatable file.
struct Segment {
  std::uint64_t address;
  std::uint64_t memory_size; ///< Bytes beyond `file_size` are zero.
  std::uint64_t offset;      ///< Offset in the file.
  std::uint64_t file_size;
  std::uint64_t alignment;
  Protection protection;

  [[nodiscard]] bool holds(std::uint64_t at) const {
    return at >= address && at - address < memory_size;
  }
};

/// A section that is in memory when the program runs. Section headers are for linkers and people:
/// they only limit the alignment of packed libraries.
struct Section {
  std::string name;
  std::uint64_t address;
  std::uint64_t size;
  std::uint64_t alignment;
  Protection protection;
};

enum class Binding : std::uint8_t { local, global, weak, unique };

/// A symbol of the dynamic symbol table.
struct Symbol {
  std::string_view name;    ///< Points into the file.
  std::string_view version; ///< Points into the file; empty if the symbol has no version.
  bool is_default_version;  ///< `name@@version`, to which references without a version are bound.
  std::uint64_t address;    ///< The resolver's for an indirect function; 0 if it is not defined.
  std::uint64_t size;
  Binding binding;
  std::uint8_t type;       ///< STT_FUNC, ...
  std::uint8_t visibility; ///< STV_DEFAULT, ...
  bool is_defined;
};

/// A write by the stock loader to one place.
struct Relocation {
  std::uint64_t address;
  std::uint32_t type;   ///< R_X86_64_RELATIVE, ... Includes packed relative relocations.
  std::uint32_t symbol; ///< Index into symbols(); 0 if there is none.
  std::int64_t addend;
};

/// The parts of the dynamic section that the loader uses.
struct Dynamic {
  std::string name; ///< DT_SONAME; may be empty.
  std::vector<std::string> needed;
  std::string rpath;
  std::string runpath;
  bool is_pie = false;
};

/// An ELF file for x86-64: a program or a shared library. All offsets are validated when it is
/// opened: every result lies within the file. Results stay valid as long as the ElfFile, also after
/// it is moved.
class ElfFile {
public:
  /// Opens a file. Fails with file_error, bad_elf.
  static Result<ElfFile> open(const std::filesystem::path &path);
  /// Reads an open file. `path` is its name in messages.
  static Result<ElfFile> read(int file, const std::filesystem::path &path);
  /// Parses the bytes of a file. `name` is used in errors. Fails with bad_elf.
  static Result<ElfFile> parse(std::string name, std::vector<std::byte> bytes);
  ElfFile(ElfFile &&) noexcept = default;
  ElfFile &operator=(ElfFile &&) noexcept = default;
  ~ElfFile() = default;

  [[nodiscard]] const std::string &name() const { return name_; }
  /// Returns the build id in hexadecimal; empty if the file has none.
  [[nodiscard]] const std::string &build_id() const { return build_id_; }
  /// Returns the loader that a program requests; empty for libraries and static programs.
  [[nodiscard]] const std::string &interpreter() const { return interpreter_; }
  [[nodiscard]] std::uint64_t entry() const { return entry_; }
  /// True if the file can be placed at any address (ET_DYN).
  [[nodiscard]] bool is_relocatable() const { return is_relocatable_; }
  /// Returns the program headers as they are in the file.
  [[nodiscard]] const std::vector<Elf64_Phdr> &program_headers() const { return program_headers_; }
  /// Returns the program headers' offset in the file, in bytes.
  [[nodiscard]] std::uint64_t program_headers_offset() const { return program_headers_offset_; }
  /// Returns the first program header of a type; nullptr if there is none.
  [[nodiscard]] const Elf64_Phdr *program_header(std::uint32_t type) const;
  [[nodiscard]] const std::vector<Segment> &segments() const { return segments_; }
  [[nodiscard]] const std::vector<Section> &sections() const { return sections_; }
  /// Returns the dynamic section; empty for static programs.
  [[nodiscard]] const std::optional<Dynamic> &dynamic() const { return dynamic_; }
  /// Returns an entry of the dynamic section, by DT_....
  [[nodiscard]] std::optional<std::uint64_t> tag(std::uint64_t which) const;
  [[nodiscard]] const std::vector<Symbol> &symbols() const { return symbols_; }
  /// Returns the relocations in the order in which the stock loader applies them.
  [[nodiscard]] const std::vector<Relocation> &relocations() const { return relocations_; }
  /// Returns the packed relocations (DT_RELR) among them.
  [[nodiscard]] std::span<const Relocation> packed_relocations() const {
    return std::span(relocations_).first(packed_);
  }
  /// Returns the address of the unwinders' search table (PT_GNU_EH_FRAME).
  [[nodiscard]] std::optional<std::uint64_t> unwind_table() const { return unwind_table_; }
  /// Returns the size of the thread-local block in bytes, including zeros; 0 if there is none.
  [[nodiscard]] std::uint64_t tls_size() const { return tls_size_; }

  /// Returns the file's bytes from an address to the end of the segment's bytes in the file. Empty
  /// if there are none.
  [[nodiscard]] std::span<const std::byte> from(std::uint64_t address) const;
  /// Returns exactly `size` bytes at an address, or nothing.
  [[nodiscard]] std::optional<std::span<const std::byte>> at(std::uint64_t address,
                                                             std::uint64_t size) const;
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

private:
  friend class ElfReader;
  ElfFile() = default;

  std::string name_;
  std::vector<std::byte> bytes_;
  std::string build_id_;
  std::string interpreter_;
  std::uint64_t entry_ = 0;
  bool is_relocatable_ = false;
  std::vector<Elf64_Phdr> program_headers_;
  std::uint64_t program_headers_offset_ = 0;
  std::map<std::uint64_t, std::uint64_t> tags_; ///< Without tags that occur several times.
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
  std::optional<Dynamic> dynamic_;
  std::vector<Symbol> symbols_;
  std::vector<Relocation> relocations_;
  std::size_t packed_ = 0; ///< Number of packed relocations, which come first.
  std::optional<std::uint64_t> unwind_table_;
  std::uint64_t tls_size_ = 0;
};

} // namespace sartor::loader

#endif
