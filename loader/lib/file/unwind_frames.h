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

/// Returns the bytes of a library's file from an address on; empty if there are none.
using Bytes = std::function<std::span<const std::byte>(std::uint64_t)>;

/// A pointer in a file that does not change at run time.
struct Pointer {
  std::uint64_t place; ///< Address of the pointer.
  unsigned encoding;
  std::uint64_t target; ///< 0: none.
};

/// A common information entry (CIE).
struct Common {
  std::uint64_t end = 0;                 ///< Address of the entry's end.
  std::uint64_t instructions = 0;        ///< Address of the call frame instructions.
  unsigned pointers = absolute;          ///< Encoding of functions' addresses in entries.
  std::optional<unsigned> language_data; ///< Encoding of the address of language data.
  std::optional<Pointer> personality;    ///< Personality function, or address of a pointer to it.
  bool has_augmentation = false;         ///< Its entries have augmentation data.
  bool is_signal_frame = false;          ///< Frames of functions that the kernel calls.
  bool is_known = true;                  ///< False if the entry contains an unknown kind of data.
};

/// A frame description entry (FDE).
struct Frame {
  CodeRange place; ///< Range of the entry.
  CodeRange code;
  std::uint64_t language_data;           ///< Address of the language data; 0 if there is none.
  std::uint64_t common = 0;              ///< Address of the common entry.
  std::uint64_t language_data_place = 0; ///< Address of the address of the language data; 0: none.
  std::uint64_t instructions = 0;        ///< Address of the call frame instructions.
};

/// Reads the entries of a file's unwind information through a function that provides the bytes.
class Frames {
public:
  /// `table`: address of the unwinders' search table (PT_GNU_EH_FRAME).
  Frames(Bytes bytes, std::uint64_t table) : bytes_(std::move(bytes)), table_{table, table} {}

  /// Returns all entries that unwinders find: through the search table, or by walking the entries
  /// if there is none. Throws CutOff.
  std::vector<Frame> read_all();
  /// Returns the common entries of the entries read so far, by address.
  [[nodiscard]] const std::map<std::uint64_t, Common> &commons() const { return commons_; }
  /// Returns the range of the search table.
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
