// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/program.h"

#include <asm/stat.h>
#include <elf.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "front/system.h"

namespace sartor::front {

namespace {

/// True if the file names an interpreter. Its program headers may be anywhere in the file.
bool has_interpreter(long file) {
  Elf64_Ehdr header;
  if (call(__NR_pread64, file, &header, sizeof header, 0) != sizeof header ||
      memcmp(&header, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != EM_X86_64 || header.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (call(__NR_pread64, file, &segment, sizeof segment, header.e_phoff + i * sizeof segment) !=
        sizeof segment)
      return false;
    if (segment.p_type == PT_INTERP)
      return true;
  }
  return false;
}

} // namespace

bool find_real_path(const char *path, char *to, size_t room) {
  const long file = call(__NR_open, path, O_PATH | O_CLOEXEC, 0);
  if (is_error(file))
    return false;
  Line link;
  link.add("/proc/self/fd/").add_number(static_cast<uint64_t>(file));
  const long size = call(__NR_readlink, link.text(), to, room - 1);
  close_file(file);
  if (is_error(size))
    return false;
  to[size] = 0;
  return true;
}

void find_program(const char *name, const Stack &stack, Line &path) {
  bool is_path = false;
  for (const char *at = name; *at != 0; ++at)
    is_path |= *at == '/';
  const char *directories = stack.variable("PATH");
  if (directories == nullptr)
    directories = "/bin:/usr/bin"; // the default of execvp()
  if (is_path) {
    path.add(name);
    return;
  }
  for (const char *at = directories; *at != 0;) {
    char directory[2048];
    size_t size = 0;
    for (; *at != 0 && *at != ':'; ++at)
      if (size < sizeof directory - 1)
        directory[size++] = *at;
    directory[size] = 0;
    if (*at == ':')
      ++at;
    Line candidate;
    candidate.add(size == 0 ? "." : directory).add("/").add(name);
    constexpr int executable = 1;
    struct stat status;
    if (!is_error(call(__NR_access, candidate.text(), executable)) &&
        !is_error(call(__NR_stat, candidate.text(), &status)) && S_ISREG(status.st_mode)) {
      path.add(candidate.text());
      return;
    }
  }
  path.add(name);
}

void add_absolute(const char *path, Line &to) {
  Line directory;
  const char *name = base_name(path);
  for (const char *at = path; at != name; ++at)
    directory.add(*at);
  if (name == path)
    directory.add(".");
  char real[4096];
  if (!find_real_path(directory.text(), real, sizeof real)) {
    to.add(path);
    return;
  }
  if (real[1] != 0)
    to.add(real);
  to.add("/").add(name);
}

bool is_dynamic(const char *path) {
  const long file = call(__NR_open, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (is_error(file))
    return false;
  const bool found = has_interpreter(file);
  close_file(file);
  return found;
}

bool changes_rights(const char *path) {
  struct stat status;
  if (is_error(call(__NR_stat, path, &status)))
    return false;
  return (status.st_mode & (S_ISUID | S_ISGID)) != 0 ||
         !is_error(call(__NR_getxattr, path, "security.capability", nullptr, 0));
}

bool is_watched(const Stack &stack) {
  return stack.variable("LD_AUDIT") != nullptr || stack.variable("LD_PROFILE") != nullptr ||
         stack.variable("LD_TRACE_LOADED_OBJECTS") != nullptr ||
         stack.variable("LD_SHOW_AUXV") != nullptr;
}

} // namespace sartor::front
