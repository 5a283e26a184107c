// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_FILES_H
#define SARTOR_TEST_RUNTIME_HANDLERS_FILES_H

#include <cstdint>

/// An open file. What is read begins with what changes at each call.
struct File {
  std::uint64_t offset;
  std::uint64_t shared; ///< How many others use the offset.
  std::uint64_t locks;
  std::uint64_t size;
};

/// In place of bytes to read: asks which fields are constants in the code in force.
constexpr std::uint64_t kWhatIsFolded = ~0ULL;
constexpr std::uint64_t kSharedIsFolded = 1;
constexpr std::uint64_t kLocksAreFolded = 2;

/// Reads so much; gives what is left, in a way that shows what `shared` and `locks` were.
std::uint64_t read_file(File *file, std::uint64_t bytes);
/// The same of a file that everybody knows.
extern File only_file;
std::uint64_t read_only_file(std::uint64_t bytes);
/// Calls something that writes to the file within, if anything.
std::uint64_t read_and_call(File *file, void (*call)(File *));

#endif
