// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/elf_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>
#include <type_traits>
#include <utility>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/elf_sections.h"
#include "base/file/file_handle.h"
#include "loader/lib/file/gnu_hash.h"
#include "loader/lib/format/pages.h"

namespace sartor::loader {

namespace {

/// Limit of a file's size; files that a loader handles are smaller.
constexpr std::uint64_t largest_file = std::uint64_t{4} << 30;
/// A symbol's version is a number of 15 bits.
constexpr unsigned most_versions = 0x7fff;
/// Segments must be congruent to their position in the file at least by this alignment; the stock
/// loader may require more.

std::unexpected<Failure> unreadable(const std::filesystem::path &path, std::string what) {
  return std::unexpected(Failure{ErrorCode::file_error, path.string(), std::move(what),
                                 "see whether it exists and may be read"});
}

Binding binding_of(unsigned binding) {
  switch (binding) {
  case STB_LOCAL:
    return Binding::local;
  case STB_WEAK:
    return Binding::weak;
  case STB_GNU_UNIQUE:
    return Binding::unique;
  default:
    return Binding::global;
  }
}

} // namespace

/// Fills an ElfFile. Every offset and size that it reads is checked against the file; it throws a
/// Failure.
class ElfReader {
public:
  explicit ElfReader(ElfFile &file) : file_(file) {}

  void read();

private:
  [[noreturn]] void refuse(std::string what) const {
    throw Failure{ErrorCode::bad_elf, file_.name_, std::move(what),
                  "see whether the file is damaged; the stock loader would not take it either"};
  }
  void require(bool holds, const char *what) const {
    if (!holds)
      refuse(what);
  }

  /// Returns `count` entries of a table in the file's bytes.
  template <class T>
  std::vector<T> table(std::span<const std::byte> bytes, std::uint64_t count,
                       const char *what) const {
    static_assert(std::is_trivially_copyable_v<T>);
    require(count <= bytes.size() / sizeof(T), what);
    std::vector<T> entries(count);
    if (count > 0)
      std::memcpy(entries.data(), bytes.data(), count * sizeof(T));
    return entries;
  }
  [[nodiscard]] std::span<const std::byte> in_file(std::uint64_t offset, std::uint64_t size,
                                                   const char *what) const {
    if (size == 0) // empty, also where memory is zero-initialized and has no bytes in the file
      return {};
    require(offset <= file_.bytes_.size() && size <= file_.bytes_.size() - offset, what);
    return std::span(file_.bytes_).subspan(offset, size);
  }
  template <class T>
  std::vector<T> at(std::uint64_t address, std::uint64_t count, const char *what) const {
    return table<T>(file_.from(address), count, what);
  }

  void read_header();
  void read_segments();
  void read_sections();
  void read_dynamic(std::span<const std::byte> bytes);
  void read_symbols();
  void read_versions();
  void read_relocations();
  void read_packed_relocations();
  void read_relocations_at(std::uint64_t address, std::uint64_t size);

  [[nodiscard]] std::optional<std::uint64_t> tag(std::uint64_t which) const;
  [[nodiscard]] std::uint64_t number_of_symbols() const;
  [[nodiscard]] std::uint64_t number_in_relocations() const;
  [[nodiscard]] std::string_view string(std::uint64_t offset) const;

  ElfFile &file_;
  Elf64_Ehdr header_{};
  std::span<const std::byte> strings_;
};

void ElfReader::read() {
  read_header();
  read_segments();
  read_sections();
  for (const Elf64_Phdr &each : file_.program_headers_) {
    if (each.p_type == PT_NOTE)
      if (auto id = base::build_id_in(
              in_file(each.p_offset, each.p_filesz, "notes lie outside of the file"), each.p_align))
        file_.build_id_ = std::move(*id);
    if (each.p_type == PT_DYNAMIC)
      read_dynamic(in_file(each.p_offset, each.p_filesz, "the dynamic section lies outside"));
  }
  if (!file_.dynamic_)
    return;
  read_symbols();
  read_versions();
  read_relocations();
}

void ElfReader::read_header() {
  header_ = table<Elf64_Ehdr>(file_.bytes_, 1, "is too short for an ELF header").front();
  require(std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0, "is no ELF file");
  require(header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == ELFDATA2LSB &&
              header_.e_machine == EM_X86_64,
          "is not for x86-64");
  require(header_.e_type == ET_DYN || header_.e_type == ET_EXEC,
          "is neither a program nor a shared library");
  require(header_.e_phentsize == sizeof(Elf64_Phdr), "has program headers of another size");
  file_.entry_ = header_.e_entry;
  file_.is_relocatable_ = header_.e_type == ET_DYN;
}

void ElfReader::read_segments() {
  const char *const outside = "program headers lie outside of the file";
  file_.program_headers_ = table<Elf64_Phdr>(
      in_file(header_.e_phoff, std::uint64_t{header_.e_phnum} * sizeof(Elf64_Phdr), outside),
      header_.e_phnum, outside);
  file_.program_headers_offset_ = header_.e_phoff;
  for (const Elf64_Phdr &each : file_.program_headers_) {
    const bool is_in_memory = each.p_type == PT_LOAD || each.p_type == PT_TLS ||
                              each.p_type == PT_GNU_RELRO || each.p_type == PT_GNU_EH_FRAME;
    require(!is_in_memory || each.p_memsz <= ~each.p_vaddr, "a segment wraps around");
    switch (each.p_type) {
    case PT_LOAD: {
      require(each.p_filesz <= each.p_memsz, "a segment is larger in the file than in memory");
      static_cast<void>(
          in_file(each.p_offset, each.p_filesz, "a segment lies outside of the file"));
      require(each.p_align <= 1 || std::has_single_bit(each.p_align),
              "a segment's alignment is no power of two");
      require((each.p_vaddr - each.p_offset) % format::page == 0,
              "a segment's pages are no pages of the file");
      require(file_.segments_.empty() ||
                  file_.segments_.back().address + file_.segments_.back().memory_size <=
                      each.p_vaddr,
              "segments overlap, or are not in order");
      file_.segments_.push_back(
          {each.p_vaddr,
           each.p_memsz,
           each.p_offset,
           each.p_filesz,
           std::max<std::uint64_t>(each.p_align, 1),
           {(each.p_flags & PF_R) != 0, (each.p_flags & PF_W) != 0, (each.p_flags & PF_X) != 0}});
      break;
    }
    case PT_INTERP: {
      const auto path = in_file(each.p_offset, each.p_filesz, "its interpreter lies outside");
      const auto end = std::ranges::find(path, std::byte{0});
      require(end != path.end(), "its interpreter's path has no end");
      file_.interpreter_.assign(reinterpret_cast<const char *>(path.data()),
                                static_cast<std::size_t>(end - path.begin()));
      break;
    }
    case PT_TLS:
      file_.tls_size_ = each.p_memsz;
      break;
    case PT_GNU_EH_FRAME:
      file_.unwind_table_ = each.p_vaddr;
      break;
    default:
      break;
    }
  }
  require(!file_.segments_.empty(), "has nothing to be loaded");
}

/// Reads the section headers. A program runs without them or with invalid ones, so then there are
/// no sections.
void ElfReader::read_sections() {
  for (const auto &[name, header, content] : base::sections_in(file_.bytes_))
    if ((header.sh_flags & SHF_ALLOC) != 0 && header.sh_size <= ~header.sh_addr)
      file_.sections_.push_back(
          {std::string(name),
           header.sh_addr,
           header.sh_size,
           header.sh_addralign,
           {true, (header.sh_flags & SHF_WRITE) != 0, (header.sh_flags & SHF_EXECINSTR) != 0}});
}

std::string_view ElfReader::string(std::uint64_t offset) const {
  require(offset < strings_.size(), "a name lies outside of the string table");
  const std::string_view rest(reinterpret_cast<const char *>(strings_.data()) + offset,
                              strings_.size() - offset);
  const auto end = rest.find('\0');
  require(end != std::string_view::npos, "a name has no end");
  return rest.substr(0, end);
}

void ElfReader::read_dynamic(std::span<const std::byte> bytes) {
  require(!file_.dynamic_, "has two dynamic sections");
  std::vector<std::uint64_t> needed;
  for (const Elf64_Dyn &each : table<Elf64_Dyn>(bytes, bytes.size() / sizeof(Elf64_Dyn),
                                                "the dynamic section is cut off")) {
    if (each.d_tag == DT_NULL)
      break;
    if (each.d_tag == DT_NEEDED)
      needed.push_back(each.d_un.d_val);
    else
      file_.tags_[static_cast<std::uint64_t>(each.d_tag)] = each.d_un.d_val;
  }
  if (const auto address = file_.tag(DT_STRTAB)) {
    strings_ = file_.from(*address);
    strings_ =
        strings_.first(std::min<std::uint64_t>(file_.tag(DT_STRSZ).value_or(0), strings_.size()));
  }
  Dynamic &dynamic = file_.dynamic_.emplace();
  const auto name_of = [&](std::uint64_t which) {
    const auto offset = file_.tag(which);
    return offset ? std::string(string(*offset)) : std::string();
  };
  for (const std::uint64_t offset : needed)
    dynamic.needed.emplace_back(string(offset));
  dynamic.name = name_of(DT_SONAME);
  dynamic.rpath = name_of(DT_RPATH);
  dynamic.runpath = name_of(DT_RUNPATH);
  dynamic.is_pie = (file_.tag(DT_FLAGS_1).value_or(0) & DF_1_PIE) != 0;
}

/// Returns the symbol table's length, which only the hash tables give.
std::uint64_t ElfReader::number_of_symbols() const {
  if (const auto address = file_.tag(DT_HASH))
    return at<std::uint32_t>(*address, 2, "the hash table is cut off")[1];
  const auto address = file_.tag(DT_GNU_HASH);
  if (!address)
    return 0;
  const auto hashed = hashed_symbols(file_.from(*address));
  require(hashed.has_value(), "the GNU hash table is cut off");
  // A GNU hash table contains no imported symbols. If it contains no others, its first index may be
  // less than their number, so relocations are examined as well.
  return hashed->first < hashed->end
             ? hashed->end
             : std::max<std::uint64_t>(hashed->first, number_in_relocations());
}

std::uint64_t ElfReader::number_in_relocations() const {
  std::uint64_t number = 0;
  const auto count = [&](std::uint64_t which, std::uint64_t which_size) {
    const auto address = file_.tag(which);
    const std::uint64_t size = file_.tag(which_size).value_or(0);
    if (!address || size == 0)
      return;
    for (const Elf64_Rela &each :
         at<Elf64_Rela>(*address, size / sizeof(Elf64_Rela), "relocations lie outside of the file"))
      number = std::max<std::uint64_t>(number, ELF64_R_SYM(each.r_info) + 1);
  };
  count(DT_RELA, DT_RELASZ);
  count(DT_JMPREL, DT_PLTRELSZ);
  return number;
}

void ElfReader::read_symbols() {
  const auto address = file_.tag(DT_SYMTAB);
  if (!address)
    return;
  const auto entries =
      at<Elf64_Sym>(*address, number_of_symbols(), "the symbol table lies outside of the file");
  file_.symbols_.reserve(entries.size());
  for (const Elf64_Sym &each : entries) {
    file_.symbols_.push_back(
        {.name = string(each.st_name),
         .version = {},
         .is_default_version = false,
         .address = each.st_value,
         .size = each.st_size,
         .binding = binding_of(ELF64_ST_BIND(each.st_info)),
         .type = static_cast<std::uint8_t>(ELF64_ST_TYPE(each.st_info)),
         .visibility = static_cast<std::uint8_t>(ELF64_ST_VISIBILITY(each.st_other)),
         .is_defined = each.st_shndx != SHN_UNDEF});
  }
}

void ElfReader::read_versions() {
  const auto address = file_.tag(DT_VERSYM);
  if (!address)
    return;
  std::map<unsigned, std::string_view> names;
  const char *const cut_off = "symbol versions are cut off";
  // Both tables are linked lists, whose entries give the distance to the next; the dynamic section
  // gives their lengths.
  const std::uint64_t defined = file_.tag(DT_VERDEF).value_or(0);
  std::uint64_t entry = defined;
  for (std::uint64_t i = 0; defined != 0 && i < file_.tag(DT_VERDEFNUM).value_or(0); ++i) {
    const auto version = at<Elf64_Verdef>(entry, 1, cut_off).front();
    const auto name = at<Elf64_Verdaux>(entry + version.vd_aux, 1, cut_off).front();
    names[version.vd_ndx & 0x7fffU] = string(name.vda_name);
    if (version.vd_next == 0)
      break;
    entry += version.vd_next;
  }
  unsigned versions = 0;
  entry = file_.tag(DT_VERNEED).value_or(0);
  for (std::uint64_t i = 0; entry != 0 && i < file_.tag(DT_VERNEEDNUM).value_or(0); ++i) {
    const auto library = at<Elf64_Verneed>(entry, 1, cut_off).front();
    std::uint64_t part = entry + library.vn_aux;
    for (unsigned k = 0; k < library.vn_cnt; ++k) {
      require(++versions <= most_versions, "has more symbol versions than 15 bits can number");
      const auto version = at<Elf64_Vernaux>(part, 1, cut_off).front();
      names[version.vna_other & 0x7fffU] = string(version.vna_name);
      if (version.vna_next == 0)
        break;
      part += version.vna_next;
    }
    if (library.vn_next == 0)
      break;
    entry += library.vn_next;
  }
  const auto indices = at<std::uint16_t>(*address, file_.symbols_.size(), cut_off);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const unsigned index = indices[i] & 0x7fffU;
    if (const auto found = names.find(index); index > VER_NDX_GLOBAL && found != names.end()) {
      file_.symbols_[i].version = found->second;
      file_.symbols_[i].is_default_version =
          file_.symbols_[i].is_defined && (indices[i] & 0x8000U) == 0;
    }
  }
}

void ElfReader::read_relocations() {
  read_packed_relocations();
  file_.packed_ = file_.relocations_.size();
  const std::uint64_t address = file_.tag(DT_RELA).value_or(0);
  const std::uint64_t size = file_.tag(DT_RELASZ).value_or(0);
  read_relocations_at(address, size);
  // Some linkers make both tables one.
  const std::uint64_t of_plt = file_.tag(DT_JMPREL).value_or(0);
  if (of_plt < address || of_plt - address >= size)
    read_relocations_at(of_plt, file_.tag(DT_PLTRELSZ).value_or(0));
}

void ElfReader::read_relocations_at(std::uint64_t address, std::uint64_t size) {
  if (address == 0 || size == 0)
    return;
  for (const Elf64_Rela &each :
       at<Elf64_Rela>(address, size / sizeof(Elf64_Rela), "relocations lie outside of the file")) {
    const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(each.r_info));
    require(symbol == 0 || symbol < file_.symbols_.size(), "a relocation's symbol does not exist");
    file_.relocations_.push_back({each.r_offset,
                                  static_cast<std::uint32_t>(ELF64_R_TYPE(each.r_info)), symbol,
                                  each.r_addend});
  }
}

/// Reads DT_RELR: an even entry is the address of a word; the bits of an odd entry mark which of
/// the following 63 words are relocated. (Generic ABI, "Relative Relocation Table".)
void ElfReader::read_packed_relocations() {
  const auto address = file_.tag(DT_RELR);
  if (!address)
    return;
  const auto add = [&](std::uint64_t where) {
    const auto content = at<std::int64_t>(where, 1, "a packed relocation lies outside of the file");
    file_.relocations_.push_back({where, R_X86_64_RELATIVE, 0, content.front()});
  };
  std::uint64_t next = 0;
  for (const std::uint64_t entry :
       at<std::uint64_t>(*address, file_.tag(DT_RELRSZ).value_or(0) / 8,
                         "packed relocations lie outside of the file")) {
    if ((entry & 1) == 0) {
      add(entry);
      next = entry + 8;
      continue;
    }
    for (unsigned bit = 1; bit < 64; ++bit)
      if ((entry >> bit & 1) != 0)
        add(next + std::uint64_t{8} * (bit - 1));
    next += std::uint64_t{63} * 8;
  }
}

Result<ElfFile> ElfFile::open(const std::filesystem::path &path) {
  const base::FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0)
    return unreadable(path, std::generic_category().message(errno));
  return read(file.get(), path);
}

Result<ElfFile> ElfFile::read(int file, const std::filesystem::path &path) {
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    return unreadable(path, "is no file");
  if (static_cast<std::uint64_t>(status.st_size) > largest_file)
    return unreadable(path, "is larger than 4 GiB");
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count =
        pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return unreadable(path, "cannot be read");
    done += static_cast<std::size_t>(count);
  }
  return parse(path.string(), std::move(bytes));
}

Result<ElfFile> ElfFile::parse(std::string name, std::vector<std::byte> bytes) {
  ElfFile file;
  file.name_ = std::move(name);
  file.bytes_ = std::move(bytes);
  try {
    ElfReader(file).read();
  } catch (Failure &failure) {
    return std::unexpected(std::move(failure));
  }
  return file;
}

const Elf64_Phdr *ElfFile::program_header(std::uint32_t type) const {
  const auto found = std::ranges::find(program_headers_, type, &Elf64_Phdr::p_type);
  return found == program_headers_.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> ElfFile::tag(std::uint64_t which) const {
  const auto found = tags_.find(which);
  return found == tags_.end() ? std::nullopt : std::optional(found->second);
}

std::span<const std::byte> ElfFile::from(std::uint64_t address) const {
  for (const Segment &segment : segments_)
    if (address >= segment.address && address - segment.address < segment.file_size)
      return std::span(bytes_).subspan(segment.offset + (address - segment.address),
                                       segment.file_size - (address - segment.address));
  return {};
}

std::optional<std::span<const std::byte>> ElfFile::at(std::uint64_t address,
                                                      std::uint64_t size) const {
  const auto rest = from(address);
  if (rest.size() < size)
    return std::nullopt;
  return rest.first(size);
}

} // namespace sartor::loader
