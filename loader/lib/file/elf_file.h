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

/// What may be done with memory.
struct Protection {
  bool read = false;
  bool write = false;
  bool execute = false;

  bool operator==(const Protection &) const = default;
};

/// A PT_LOAD segment. Addresses are those of the file, from 0 on in what can be placed anywhere.
struct Segment {
  std::uint64_t address;
  std::uint64_t memory_size; ///< Bytes beyond `file_size` are zero.
  std::uint64_t offset;      ///< In the file.
  std::uint64_t file_size;
  std::uint64_t alignment;
  Protection protection;

  [[nodiscard]] bool holds(std::uint64_t at) const {
    return at >= address && at - address < memory_size;
  }
};

/// A section that is in memory when the program runs. Section headers are for linkers and people:
/// nothing depends on them here.
struct Section {
  std::string name;
  std::uint64_t address;
  std::uint64_t size;
  Protection protection;
};

enum class Binding : std::uint8_t { local, global, weak, unique };

/// A symbol of the dynamic symbol table.
struct Symbol {
  std::string_view name;    ///< Into the file.
  std::string_view version; ///< Into the file; empty if it has none.
  bool is_default_version;  ///< `name@@version`, which references without a version take.
  std::uint64_t address;    ///< Of an indirect function: of its resolver. 0 if it is not defined.
  std::uint64_t size;
  Binding binding;
  std::uint8_t type;       ///< STT_FUNC, ...
  std::uint8_t visibility; ///< STV_DEFAULT, ...
  bool is_defined;
};

/// What the stock loader writes to one place.
struct Relocation {
  std::uint64_t address;
  std::uint32_t type;   ///< R_X86_64_RELATIVE, ... Packed relative relocations are among those.
  std::uint32_t symbol; ///< Index into symbols(); 0 if there is none.
  std::int64_t addend;
};

/// The dynamic section, as far as it matters here.
struct Dynamic {
  std::string name; ///< DT_SONAME; may be empty.
  std::vector<std::string> needed;
  std::string rpath;
  std::string runpath;
  bool is_pie = false;
};

/// An ELF file for x86-64: program or shared library. What it refers to has been looked at: all
/// that is given out lies within the file. What it gives out lives as long as it, moved or not.
class ElfFile {
public:
  /// Fails with file_error, bad_elf.
  static Result<ElfFile> open(const std::filesystem::path &path);
  /// `name` is for errors. Fails with bad_elf.
  static Result<ElfFile> parse(std::string name, std::vector<std::byte> bytes);
  ElfFile(ElfFile &&) noexcept = default;
  ElfFile &operator=(ElfFile &&) noexcept = default;
  ~ElfFile() = default;

  [[nodiscard]] const std::string &name() const { return name_; }
  /// Hexadecimal; empty if the file has none.
  [[nodiscard]] const std::string &build_id() const { return build_id_; }
  /// The loader that a program asks for; empty for libraries and static programs.
  [[nodiscard]] const std::string &interpreter() const { return interpreter_; }
  [[nodiscard]] std::uint64_t entry() const { return entry_; }
  /// Whether it can be placed anywhere (ET_DYN).
  [[nodiscard]] bool is_relocatable() const { return is_relocatable_; }
  /// As they are in the file.
  [[nodiscard]] const std::vector<Elf64_Phdr> &program_headers() const { return program_headers_; }
  /// Where they begin in the file, in bytes.
  [[nodiscard]] std::uint64_t program_headers_offset() const { return program_headers_offset_; }
  /// The first program header of a type; nullptr if there is none.
  [[nodiscard]] const Elf64_Phdr *program_header(std::uint32_t type) const;
  [[nodiscard]] const std::vector<Segment> &segments() const { return segments_; }
  [[nodiscard]] const std::vector<Section> &sections() const { return sections_; }
  /// Empty for static programs.
  [[nodiscard]] const std::optional<Dynamic> &dynamic() const { return dynamic_; }
  /// An entry of the dynamic section, by DT_....
  [[nodiscard]] std::optional<std::uint64_t> tag(std::uint64_t which) const;
  [[nodiscard]] const std::vector<Symbol> &symbols() const { return symbols_; }
  /// In the order in which the stock loader makes them.
  [[nodiscard]] const std::vector<Relocation> &relocations() const { return relocations_; }
  /// Those of them that are packed (DT_RELR).
  [[nodiscard]] std::span<const Relocation> packed_relocations() const {
    return std::span(relocations_).first(packed_);
  }
  /// Where the table begins that unwinders look functions up in (PT_GNU_EH_FRAME).
  [[nodiscard]] std::optional<std::uint64_t> unwind_table() const { return unwind_table_; }
  /// Of the thread-local block, with what is zero in it; 0 if there is none.
  [[nodiscard]] std::uint64_t tls_size() const { return tls_size_; }

  /// The file's bytes that are at an address, up to the end of those that the segment has in the
  /// file. Empty if there are none.
  [[nodiscard]] std::span<const std::byte> from(std::uint64_t address) const;
  /// Exactly `size` of them, or nothing.
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
  std::map<std::uint64_t, std::uint64_t> tags_; ///< But for those that come several times.
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
  std::optional<Dynamic> dynamic_;
  std::vector<Symbol> symbols_;
  std::vector<Relocation> relocations_;
  std::size_t packed_ = 0; ///< That many of them, which come first.
  std::optional<std::uint64_t> unwind_table_;
  std::uint64_t tls_size_ = 0;
};

} // namespace sartor::loader

#endif
