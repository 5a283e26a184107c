// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_FILES_H
#define SARTOR_TEST_RUNTIME_HANDLERS_FILES_H

#include <cstdint>

/// An open file. The first field that is read changes at each call.
struct File {
  std::uint64_t offset;
  std::uint64_t shared; ///< Number of other users of the offset.
  std::uint64_t locks;
  std::uint64_t size;
};

/// Passed as the number of bytes: asks which fields are constants in the active code.
constexpr std::uint64_t kWhatIsFolded = ~0ULL;
constexpr std::uint64_t kSharedIsFolded = 1;
constexpr std::uint64_t kLocksAreFolded = 2;

/// Reads so many bytes; returns the rest, in a way that shows the values of `shared` and `locks`.
std::uint64_t read_file(File *file, std::uint64_t bytes);
/// The same for a global file.
extern File only_file;
std::uint64_t read_only_file(std::uint64_t bytes);
/// Calls `call`, if it is not null, which may write to the file.
std::uint64_t read_and_call(File *file, void (*call)(File *));

#endif
