// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/debug_object.h"

#include <cstring>
#include <string_view>
#include <vector>

#include <elf.h>

#include "base/raw_bytes.h"

namespace sartor::runtime {

namespace {

constexpr std::uint16_t kMachine =
#if defined(__x86_64__)
    EM_X86_64;
#else
#error "name the machine"
#endif

enum SectionNumber : std::uint16_t { kNone, kText, kUnwind, kSymbols, kStrings, kSections };

/// A string table: strings that end with a zero byte; the first is empty.
class Strings {
public:
  std::uint32_t add(std::string_view text) {
    const auto offset = static_cast<std::uint32_t>(bytes_.size());
    bytes_ += text;
    bytes_ += '\0';
    return offset;
  }
  [[nodiscard]] const std::string &bytes() const { return bytes_; }

private:
  std::string bytes_ = std::string(1, '\0');
};

// The content of a section with debug information at an address of the code.
std::string placed(const core::DebugSection &section, std::uint64_t code) {
  std::string content = section.content;
  for (const std::uint32_t at : section.addresses) {
    std::uint64_t address = 0;
    std::memcpy(&address, content.data() + at, sizeof address);
    address += code;
    std::memcpy(content.data() + at, &address, sizeof address);
  }
  return content;
}

} // namespace

std::string debug_object(const core::CodeImage &image, std::uint64_t code, bool with_lines) {
  Strings strings;
  const std::size_t line_sections = with_lines ? image.debug.size() : 0;
  std::vector<Elf64_Shdr> sections(kSections + line_sections);
  std::string body; // follows the headers
  const std::uint64_t body_begins = sizeof(Elf64_Ehdr) + sections.size() * sizeof(Elf64_Shdr);
  const auto put = [&](Elf64_Shdr &section, std::string_view bytes) {
    section.sh_offset = body_begins + body.size();
    section.sh_size = bytes.size();
    body += bytes;
  };

  std::string symbols;
  base::append_raw(symbols, Elf64_Sym{});
  for (const core::Function &function : image.functions)
    base::append_raw(symbols, Elf64_Sym{.st_name = strings.add(function.name),
                                        .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                        .st_other = STV_DEFAULT,
                                        .st_shndx = kText,
                                        .st_value = function.begin,
                                        .st_size = function.bytes});

  Elf64_Shdr &text = sections[kText];
  text.sh_name = strings.add(".text");
  text.sh_type = SHT_NOBITS;
  text.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  text.sh_addr = code;
  text.sh_offset = body_begins;
  text.sh_size = image.code.size();
  text.sh_addralign = image.alignment;

  // It follows the symbols, which are aligned, and contains distances from its own address.
  Elf64_Shdr &table = sections[kSymbols];
  table.sh_name = strings.add(".symtab");
  table.sh_type = SHT_SYMTAB;
  table.sh_link = kStrings;
  table.sh_info = 1; // index of the first symbol that is not local
  table.sh_addralign = alignof(Elf64_Sym);
  table.sh_entsize = sizeof(Elf64_Sym);
  put(table, symbols);

  Elf64_Shdr &unwind = sections[kUnwind];
  unwind.sh_name = strings.add(".eh_frame");
  unwind.sh_type = SHT_PROGBITS;
  unwind.sh_flags = SHF_ALLOC;
  unwind.sh_addr = code + image.unwind;
  unwind.sh_addralign = 1;
  put(unwind, std::string_view(image.code).substr(image.unwind, image.unwind_bytes));

  for (std::size_t i = 0; i < line_sections; ++i) {
    Elf64_Shdr &debug = sections[kSections + i];
    debug.sh_name = strings.add(image.debug[i].name);
    debug.sh_type = SHT_PROGBITS;
    debug.sh_addralign = 1;
    put(debug, placed(image.debug[i], code));
  }

  Elf64_Shdr &names = sections[kStrings];
  names.sh_name = strings.add(".strtab");
  names.sh_type = SHT_STRTAB;
  names.sh_addralign = 1;
  put(names, strings.bytes());

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = kMachine;
  header.e_version = EV_CURRENT;
  header.e_shoff = sizeof header;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = kStrings;

  std::string object;
  object.reserve(body_begins + body.size());
  base::append_raw(object, header);
  for (const Elf64_Shdr &section : sections)
    base::append_raw(object, section);
  return object += body;
}

} // namespace sartor::runtime
