// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of the child process, with the same limits as isolated_child.cpp.
#include "runtime/verify/isolated_mappings.h"

#include <cerrno>
#include <cstddef>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "runtime/verify/isolated_kernel.h"

namespace sartor::runtime {

namespace {

class MapsReader {
public:
  explicit MapsReader(IsolatedArea &area) : area_(area) {
    file_ = open_maps();
    if (file_ == -EMFILE) { // a limit of zero
      rlimit limit{};
      kernel(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit);
      limit.rlim_cur = limit.rlim_max;
      kernel(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, nullptr);
      file_ = open_maps();
    }
    if (file_ < 0)
      give_up(area, Unprepared::maps, file_);
  }

  /// Reads a line; false at the end.
  bool next(IsolatedMapping &mapping, bool &is_of_kernel) {
    if (!has_more())
      return false;
    mapping.begin = number();
    mapping.end = number();
    mapping.rights = (take() == 'r' ? PROT_READ : 0) | (take() == 'w' ? PROT_WRITE : 0);
    mapping.rights |= take() == 'x' ? PROT_EXEC : 0;
    const bool is_shared = take() == 's';
    for (int blanks = 0; blanks < 4;) // offset, device, inode
      blanks += take() == ' ' ? 1 : 0;
    char c = take();
    while (c == ' ')
      c = take();
    char name[12] = {};
    for (unsigned i = 0; c != '\n' && c != '\0'; c = take(), ++i)
      if (i < sizeof name)
        name[i] = c;
    is_of_kernel = name[0] == '[' && name[1] == 'v';
    mapping.kind = is_device(name) ? IsolatedMapping::Kind::device
                   : is_shared     ? IsolatedMapping::Kind::shared
                                   : IsolatedMapping::Kind::own;
    return true;
  }

  void close() const { kernel(SYS_close, file_); }

private:
  static long open_maps() {
    return kernel(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  }

  static bool begins_with(const char *name, const char *with) {
    while (*with && *name == *with) {
      ++name;
      ++with;
    }
    return *with == '\0';
  }
  /// Files in /dev/shm and mappings of /dev/zero are memory.
  static bool is_device(const char (&name)[12]) {
    return begins_with(name, "/dev/") && !begins_with(name, "/dev/shm/") &&
           !begins_with(name, "/dev/zero");
  }

  bool has_more() {
    if (at_ == size_) {
      const long got = kernel(SYS_read, file_, area_.text, sizeof area_.text);
      if (got < 0)
        give_up(area_, Unprepared::maps, got);
      size_ = static_cast<std::size_t>(got);
      at_ = 0;
    }
    return at_ < size_;
  }
  char take() { return has_more() ? area_.text[at_++] : '\0'; }
  std::uintptr_t number() {
    std::uintptr_t value = 0;
    for (char c = take(); c != '-' && c != ' ' && c != '\0'; c = take())
      value = value * 16 + static_cast<std::uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    return value;
  }

  IsolatedArea &area_;
  long file_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

} // namespace

void read_mappings(IsolatedArea &area) {
  MapsReader reader(area);
  IsolatedMapping mapping{};
  bool is_of_kernel = false;
  while (reader.next(mapping, is_of_kernel)) {
    const bool is_area = mapping.begin >= area.begin && mapping.end <= area.end;
    const bool is_read = area.sees_reads && mapping.rights != 0 && !(mapping.rights & PROT_EXEC);
    if (is_area || is_of_kernel ||
        !(is_read || mapping.rights & PROT_WRITE || mapping.kind == IsolatedMapping::Kind::device))
      continue;
    if (area.mapping_count == kMostMappings)
      give_up(area, Unprepared::mappings, 0);
    area.mappings[area.mapping_count++] = mapping;
  }
  reader.close();
}

} // namespace sartor::runtime
