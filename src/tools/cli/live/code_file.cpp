// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/live/code_file.h"

#include <array>
#include <cstddef>
#include <cstring>

#include <elf.h>
#include <sodium.h>

namespace sartor::cli {

namespace {

template <class T> void append(std::string &to, const T &value) {
  to.append(reinterpret_cast<const char *>(&value), sizeof value);
}

Elf64_Shdr section(std::uint32_t name, std::uint32_t type, std::size_t offset, std::size_t size) {
  Elf64_Shdr header{};
  header.sh_name = name;
  header.sh_type = type;
  header.sh_offset = offset;
  header.sh_size = size;
  header.sh_addralign = 1;
  return header;
}

} // namespace

std::string CodeFile::elf() const {
  static constexpr std::string_view kNames("\0.text\0.symtab\0.strtab\0.shstrtab\0", 33);
  const std::string strings = '\0' + name + '\0';
  std::array<Elf64_Sym, 2> symbols{};
  symbols[1].st_name = 1;
  symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbols[1].st_shndx = 1;
  symbols[1].st_value = address;
  symbols[1].st_size = bytes.size();

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
#if defined(__aarch64__)
  header.e_machine = EM_AARCH64;
#else
  header.e_machine = EM_X86_64;
#endif
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 5;
  header.e_shstrndx = 4;
  const std::size_t text = sizeof header;
  const std::size_t table = text + bytes.size();
  const std::size_t names = table + sizeof symbols;
  const std::size_t sections = names + strings.size();
  header.e_shoff = sections + kNames.size();

  std::string file;
  append(file, header);
  file += bytes;
  append(file, symbols);
  file += strings;
  file += kNames;
  append(file, Elf64_Shdr{});
  Elf64_Shdr code = section(1, SHT_PROGBITS, text, bytes.size());
  code.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  code.sh_addr = address;
  append(file, code);
  Elf64_Shdr symbol_table = section(7, SHT_SYMTAB, table, sizeof symbols);
  symbol_table.sh_link = 3;
  symbol_table.sh_info = 1; // the first symbol that is not local
  symbol_table.sh_entsize = sizeof(Elf64_Sym);
  append(file, symbol_table);
  append(file, section(15, SHT_STRTAB, names, strings.size()));
  append(file, section(23, SHT_STRTAB, sections, kNames.size()));
  return file;
}

std::string bytes_of(std::string_view digits) {
  std::string bytes(digits.size() / 2, '\0');
  std::size_t size = 0;
  (void)sodium_hex2bin(reinterpret_cast<unsigned char *>(bytes.data()), bytes.size(), digits.data(),
                       digits.size(), nullptr, &size, nullptr);
  bytes.resize(size);
  return bytes;
}

} // namespace sartor::cli
