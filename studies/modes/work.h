// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MODES_WORK_H
#define MODES_WORK_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "modes.h"

namespace modes {

/// One of the three builds as a template argument, so that calls stay direct.
#define MODES_WAY(Way, way)                                                                        \
  struct Way {                                                                                     \
    static constexpr const char *name = #way;                                                      \
    static int put(int c, void *file) { return way##_fputc(c, file); }                             \
    static void *allocate(std::size_t bytes) { return way##_malloc(bytes); }                       \
    static void release(void *memory) { way##_free(memory); }                                      \
    static void *open() { return way##_open(); }                                                   \
    static const ModesWritten &written() { return *way##_written(); }                              \
    static void thread_begins() { way##_thread_begins(); }                                         \
    static void thread_ends() { way##_thread_ends(); }                                             \
    static void locale_changes() { way##_locale_changes(); }                                       \
    static void *pattern(const char *word, bool as_word) { return way##_pattern(word, as_word); }  \
    static long search(void *pattern, const char *text, long size, long *match) {                  \
      return way##_Fexecute(pattern, text, size, match, nullptr);                                  \
    }                                                                                              \
  };
MODES_WAY(Dynamic, dynamic)
MODES_WAY(Folded, folded)
MODES_WAY(Fixed, fixed)
#undef MODES_WAY

/// Writes `count` characters; successive calls write different ones.
template <class Way> void put_all(void *file, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    Way::put(static_cast<int>('a' + i % 23), file);
}

/// Makes `count` allocations of small sizes, with a few dozen alive at once. Checks their contents
/// through the result.
template <class Way> std::uint64_t allocate_all(std::size_t count) {
  std::array<unsigned char *, 32> alive{};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    unsigned char *&slot = alive[i % alive.size()];
    if (slot) {
      sum = sum * 31 + slot[0];
      Way::release(slot);
    }
    slot = static_cast<unsigned char *>(Way::allocate(16 + 8 * (i % 5)));
    slot[0] = static_cast<unsigned char>(i);
  }
  for (unsigned char *slot : alive)
    if (slot)
      Way::release(slot);
  return sum;
}

/// Lines of words; the byte before the text is a newline, as in grep's buffers.
std::string make_text(std::size_t lines);

/// grep's own source, in the same form. Throws std::runtime_error if it cannot be read.
std::string read_source();

/// Finds all lines with a word, with one call for each as in grep; returns a hash of the results.
template <class Way> std::uint64_t search_all(void *pattern, std::string_view text) {
  const char *at = text.data() + 1;
  const char *const end = text.data() + text.size();
  std::uint64_t hash = 1;
  while (at < end) {
    long match = 0;
    const long offset = Way::search(pattern, at, end - at, &match);
    if (offset < 0)
      break;
    hash = (hash ^ static_cast<std::uint64_t>(at + offset - text.data())) * 0x100000001b3ULL;
    at += offset + match;
  }
  return hash;
}

/// The searched word, which every line of make_text() contains at least as the end of another word.
constexpr const char *kWord = "lock";
/// The word searched in read_source(). No longer word begins with it; for such words grep continues
/// with a regular expression, which is not built here.
constexpr const char *kWordOfSource = "break";

} // namespace modes

#endif
