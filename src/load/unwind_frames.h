// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_UNWIND_FRAMES_H
#define SARTOR_LOAD_UNWIND_FRAMES_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "load/elf_file.h"
#include "load/unwind_cursor.h"
#include "load/unwind_info.h"

namespace sartor::load::unwind {

/// A pointer in a file that does not change when the program runs.
struct Pointer {
  std::uint64_t place; ///< Where it is.
  unsigned encoding;
  std::uint64_t target; ///< 0: none.
};

/// What entries have in common.
struct Common {
  unsigned pointers = absolute;          ///< How entries write the addresses of functions.
  std::optional<unsigned> language_data; ///< How they write where their language's data is.
  std::optional<Pointer> personality;    ///< The language's function, or where its address is.
};

/// What an entry describes.
struct Frame {
  CodeRange code;
  std::uint64_t language_data; ///< Where it is; 0: there is none.
};

/// Reads the entries of a file's unwind information.
class Frames {
public:
  explicit Frames(const ElfFile &file) : file_(file) {}

  /// All that unwinders find: by the table that they search, or by going from entry to entry where
  /// there is none. Throws CutOff.
  std::vector<Frame> read_all();
  /// What the entries read so far have in common, by its address.
  [[nodiscard]] const std::map<std::uint64_t, Common> &commons() const { return commons_; }

private:
  std::optional<Frame> read(std::uint64_t address, std::optional<std::uint64_t> *next = nullptr);
  const Common &common(std::uint64_t address);

  const ElfFile &file_;
  std::map<std::uint64_t, Common> commons_;
};

} // namespace sartor::load::unwind

#endif
