// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_UNWIND_FRAMES_H
#define SARTOR_LOADER_LIB_FILE_UNWIND_FRAMES_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "loader/lib/file/code_range.h"
#include "loader/lib/file/unwind_cursor.h"

namespace sartor::loader::unwind {

/// The bytes of a library's file from an address on; empty if there are none.
using Bytes = std::function<std::span<const std::byte>(std::uint64_t)>;

/// A pointer in a file that does not change when the program runs.
struct Pointer {
  std::uint64_t place; ///< Where it is.
  unsigned encoding;
  std::uint64_t target; ///< 0: none.
};

/// What entries have in common.
struct Common {
  std::uint64_t end = 0;                 ///< Of this entry.
  unsigned pointers = absolute;          ///< How entries write the addresses of functions.
  std::optional<unsigned> language_data; ///< How they write where their language's data is.
  std::optional<Pointer> personality;    ///< The language's function, or where its address is.
  bool is_known = true;                  ///< Nothing in it is of an unknown kind.
};

/// What an entry describes.
struct Frame {
  CodeRange place; ///< Of the entry.
  CodeRange code;
  std::uint64_t language_data; ///< Where it is; 0: there is none.
};

/// Reads the entries of a file's unwind information, for whoever can show its bytes.
class Frames {
public:
  /// `table`: where unwinders begin to look (PT_GNU_EH_FRAME).
  Frames(Bytes bytes, std::uint64_t table) : bytes_(std::move(bytes)), table_{table, table} {}

  /// All that unwinders find: by the table that they search, or by going from entry to entry where
  /// there is none. Throws CutOff.
  std::vector<Frame> read_all();
  /// What the entries read so far have in common, by its address.
  [[nodiscard]] const std::map<std::uint64_t, Common> &commons() const { return commons_; }
  /// The table that they search.
  [[nodiscard]] CodeRange table() const { return table_; }

private:
  [[nodiscard]] Cursor cursor(std::uint64_t address) const { return {bytes_(address), address}; }
  std::optional<Frame> read(std::uint64_t address, std::optional<std::uint64_t> *next = nullptr);
  const Common &common(std::uint64_t address);

  Bytes bytes_;
  CodeRange table_;
  std::map<std::uint64_t, Common> commons_;
};

} // namespace sartor::loader::unwind

#endif
