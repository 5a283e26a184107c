// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/thread/own_stack.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>

#include <fcntl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

namespace sartor::base {

namespace {

/// True if the process's main thread runs on the stack that the kernel has created.
bool main_has_first_stack = true;
bool forker_has_first_stack = true;

bool has_first_stack() { return getpid() == gettid() && main_has_first_stack; }

/// A mapping of this process.
struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool is_writable = false;
  bool is_guard = false; ///< Must not be accessed in any way.
};

/// Reads /proc/self/maps with system calls only.
class Mappings {
public:
  Mappings() : file_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~Mappings() {
    if (file_ >= 0)
      close(file_);
  }
  Mappings(const Mappings &) = delete;
  Mappings &operator=(const Mappings &) = delete;

  std::optional<Mapping> next() {
    Mapping mapping;
    if (!read_number(mapping.begin, '-') || !read_number(mapping.end, ' '))
      return std::nullopt;
    std::array<char, 3> rights{};
    for (char &right : rights)
      right = take();
    mapping.is_writable = rights[1] == 'w';
    mapping.is_guard = std::string_view(rights.data(), rights.size()) == "---";
    while (has_more() && take() != '\n')
      ;
    return mapping;
  }

private:
  bool has_more() {
    if (at_ < size_)
      return true;
    const ssize_t got = file_ >= 0 ? read(file_, buffer_.data(), buffer_.size()) : -1;
    at_ = 0;
    size_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    return size_ != 0;
  }
  char take() { return has_more() ? buffer_[at_++] : '\0'; }

  bool read_number(std::uintptr_t &number, char until) {
    while (has_more()) {
      const char digit = take();
      if (digit == until)
        return true;
      number =
          number * 16 + static_cast<std::uintptr_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    return false;
  }

  int file_;
  std::array<char, 512> buffer_{};
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

/// The main thread's stack grows at most to its limit and to the mapping below it.
std::optional<OwnStack> stack_of_main_thread(std::uintptr_t top) {
  Mappings mappings;
  std::uintptr_t end_below = 0;
  while (const auto mapping = mappings.next()) {
    if (top < mapping->end) {
      rlimit limit{};
      if (top < mapping->begin || getrlimit(RLIMIT_STACK, &limit) != 0)
        return std::nullopt;
      const std::uintptr_t most = std::min<std::uintptr_t>(limit.rlim_cur, mapping->end);
      return OwnStack{std::min(std::max(mapping->end - most, end_below), mapping->begin),
                      mapping->end};
    }
    end_below = mapping->end;
  }
  return std::nullopt;
}

/// glibc places its data about a thread at the end of the thread's stack, and a guard below.
std::optional<OwnStack> stack_of_thread(std::uintptr_t top) {
  Mappings mappings;
  Mapping below;
  std::uintptr_t low = 0; // of adjacent writable mappings with a guard below
  while (const auto mapping = mappings.next()) {
    const bool goes_on = mapping->begin == below.end && below.is_writable;
    if (!goes_on)
      low = mapping->begin == below.end && below.is_guard ? mapping->begin : 0;
    if (top < mapping->end) {
      if (top < mapping->begin || !mapping->is_writable || low == 0)
        return std::nullopt;
      return OwnStack{low, top};
    }
    below = *mapping;
  }
  return std::nullopt;
}

} // namespace

std::optional<OwnStack> OwnStack::find() noexcept {
  const int error = errno;
  // The kernel places random bytes at the end of the first stack.
  const auto stack = has_first_stack()
                         ? stack_of_main_thread(getauxval(AT_RANDOM))
                         : stack_of_thread(static_cast<std::uintptr_t>(pthread_self()));
  errno = error;
  return stack;
}

void OwnStack::before_fork() noexcept { forker_has_first_stack = has_first_stack(); }

void OwnStack::after_fork_in_child() noexcept { main_has_first_stack = forker_has_first_stack; }

} // namespace sartor::base
