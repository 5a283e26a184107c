// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_STAGED_H
#define SARTOR_TEST_RUNTIME_HANDLERS_STAGED_H

#include <cstdint>

/// Known when the file system is mounted.
struct FileSystem {
  struct Rule {
    std::uint32_t kind; ///< Add, multiply or rotate; any other kind is skipped.
    std::uint64_t by;
  };
  const Rule *rules;
  std::uint32_t count;
  std::uint32_t block_bits;
};

/// Known when the file is opened. Its first fields are invariant.
struct OpenFile {
  std::uint64_t (*transform)(const OpenFile *file, std::uint64_t value);
  std::uint64_t key;
  std::uint32_t passes;
  volatile std::uint32_t locked;
  std::uint64_t reads;
};

std::uint64_t scramble(const OpenFile *file, std::uint64_t value);
std::uint64_t shift(const OpenFile *file, std::uint64_t value);

/// Too large to be passed in registers.
struct Window {
  std::uint64_t from;
  std::uint64_t to;
  std::uint64_t step;
};

/// Reads a word through all of these objects; `mode` is a point.
std::uint64_t read_word(const FileSystem *system, OpenFile *file, Window window, unsigned mode,
                        std::uint64_t at);
/// The same, but reads the mode after it has changed the file, and calls itself.
std::uint64_t read_deep(const FileSystem *system, OpenFile *file, unsigned depth, unsigned mode,
                        std::uint64_t at);

/// Passed as `at` of read_word(): asks which fields are constants in the active code.
constexpr std::uint64_t kWhatIsKnown = ~0ULL;
constexpr std::uint64_t kRulesAreKnown = 1;
constexpr std::uint64_t kKeyIsKnown = 2;
constexpr std::uint64_t kWindowIsKnown = 4;

#endif
