/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded: prints all words that the stock loader has written into a program's libraries,
 * before any of their code runs, and ends the program; slots.py compares them. The places are
 * read from the libraries' files, whatever has become of them in memory. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int to;
static char lines[1 << 16];
static size_t used;

static void flush(void) {
  if (write(to, lines, used) != (ssize_t)used)
    abort();
  used = 0;
}

/** Prints without a stream, because the C library would keep a list of streams. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
  enum { longest = 8192 };
  if (used > sizeof lines - longest)
    flush();
  va_list values;
  va_start(values, format);
  used += (size_t)vsnprintf(lines + used, longest, format, values);
  va_end(values);
}

/** A library's file and where each of its segments is. */
struct Object {
  const unsigned char *file;
  const Elf64_Ehdr *header;
  const Elf64_Phdr *in_file;
  const struct dl_phdr_info *info;
};

static const Elf64_Phdr *segment_of(const struct Object *of, uint64_t address) {
  for (unsigned i = 0; i < of->header->e_phnum; ++i)
    if (of->in_file[i].p_type == PT_LOAD && address >= of->in_file[i].p_vaddr &&
        address - of->in_file[i].p_vaddr < of->in_file[i].p_memsz)
      return &of->in_file[i];
  return NULL;
}

static const void *in_file(const struct Object *of, uint64_t address) {
  const Elf64_Phdr *segment = segment_of(of, address);
  return segment ? of->file + segment->p_offset + (address - segment->p_vaddr) : NULL;
}

/** Reports the word at an address, less the addend of its symbol. */
static void report_word(const struct Object *of, uint64_t address, unsigned type, uint64_t size,
                        int64_t added) {
  const Elf64_Phdr *segment = segment_of(of, address);
  if (!segment)
    return;
  const Elf64_Phdr *now = &of->info->dlpi_phdr[segment - of->in_file];
  uint64_t before = 0;
  if (address - segment->p_vaddr + sizeof before <= segment->p_filesz)
    memcpy(&before, in_file(of, address), sizeof before);
  const uint64_t place = of->info->dlpi_addr + now->p_vaddr + (address - segment->p_vaddr);
  for (uint64_t at = 0; at < size; at += sizeof(uint64_t))
    say("W %lx %u %lx %lx\n", address + at, type, *(const uint64_t *)(place + at) - (uint64_t)added,
        before);
}

static void report_table(const struct Object *of, uint64_t address, uint64_t size,
                         const Elf64_Sym *symbols) {
  const Elf64_Rela *all = in_file(of, address);
  for (uint64_t i = 0; all && i < size / sizeof *all; ++i) {
    const unsigned type = ELF64_R_TYPE(all[i].r_info);
    uint64_t bytes = sizeof(uint64_t);
    if (type == R_X86_64_TLSDESC)
      bytes *= 2;
    else if (type == R_X86_64_COPY)
      bytes = symbols[ELF64_R_SYM(all[i].r_info)].st_size & -sizeof(uint64_t);
    report_word(of, all[i].r_offset, type, bytes, type == R_X86_64_64 ? all[i].r_addend : 0);
  }
}

static void report_packed(const struct Object *of, uint64_t address, uint64_t size) {
  const uint64_t *all = in_file(of, address);
  uint64_t next = 0;
  for (uint64_t i = 0; all && i < size / sizeof *all; ++i) {
    if ((all[i] & 1) == 0) {
      report_word(of, all[i], R_X86_64_RELATIVE, sizeof(uint64_t), 0);
      next = all[i] + 8;
      continue;
    }
    for (unsigned bit = 1; bit < 64; ++bit)
      if (all[i] >> bit & 1)
        report_word(of, next + 8UL * (bit - 1), R_X86_64_RELATIVE, sizeof(uint64_t), 0);
    next += 63UL * 8;
  }
}

static void report_relocations(const struct Object *of) {
  uint64_t tags[64] = {0};
  for (unsigned i = 0; i < of->header->e_phnum; ++i) {
    if (of->in_file[i].p_type != PT_DYNAMIC)
      continue;
    const Elf64_Dyn *each = (const void *)(of->file + of->in_file[i].p_offset);
    for (; each->d_tag != DT_NULL; ++each)
      if ((uint64_t)each->d_tag < 64)
        tags[each->d_tag] = each->d_un.d_val;
  }
  const Elf64_Sym *symbols = in_file(of, tags[DT_SYMTAB]);
  report_table(of, tags[DT_RELA], tags[DT_RELASZ], symbols);
  if (tags[DT_JMPREL] < tags[DT_RELA] || tags[DT_JMPREL] - tags[DT_RELA] >= tags[DT_RELASZ])
    report_table(of, tags[DT_JMPREL], tags[DT_PLTRELSZ], symbols);
  report_packed(of, tags[DT_RELR], tags[DT_RELRSZ]);
}

static int report(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  const char *name = info->dlpi_name[0] ? info->dlpi_name : "program";
  say("O %s %lx\n", name, info->dlpi_addr);
  const int file = open(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe", O_RDONLY);
  struct stat status;
  const int is_file = file >= 0 && fstat(file, &status) == 0;
  struct Object of = {.info = info};
  of.file = is_file ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0)
                    : (const void *)info->dlpi_addr; /* the kernel's own */
  of.header = (const void *)of.file;
  of.in_file = (const void *)(of.file + of.header->e_phoff);
  for (unsigned i = 0; i < info->dlpi_phnum; ++i)
    if (of.in_file[i].p_type == PT_LOAD)
      say("S %lx %lx %lx\n", of.in_file[i].p_vaddr, of.in_file[i].p_memsz,
          info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  if (is_file)
    report_relocations(&of);
  return 0;
}

/** Runs before all other code, so the C library does not know the environment yet. */
__attribute__((constructor)) static void report_all(int count, char **arguments,
                                                    char **environment) {
  (void)count, (void)arguments;
  static const char variable[] = "SLOTS_TO=";
  while (*environment && strncmp(*environment, variable, sizeof variable - 1) != 0)
    ++environment;
  if (!*environment)
    return;
  to = open(*environment + sizeof variable - 1, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dl_iterate_phdr(report, NULL);
  flush();
  _exit(0);
}
