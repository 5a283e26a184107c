// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_REPLAY_MEMORY_LAYOUT_H
#define SARTOR_TOOLS_CLI_REPLAY_MEMORY_LAYOUT_H

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "core/difference/difference.h"

namespace sartor::cli {

/// The recorded memory of a call, at its addresses in this process.
class MemoryLayout {
public:
  /// Reserves the pages of all pieces; later ones take precedence. They stay reserved. Fails with
  /// file_error if another mapping is there, which it names.
  static Result<MemoryLayout> reserve(std::vector<core::MemoryPiece> pieces);

  /// Makes the pages accessible and copies the content into them.
  bool fill() const;
  /// Addresses: [begin, end).
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  /// Returns the bytes that are not as fill() has left them. To be called after that. Words that
  /// have become addresses in `locals` are zero there: the place of a variable of the call on the
  /// stack is up to the compiler.
  [[nodiscard]] std::vector<core::MemoryPiece> changes(const Range &locals) const;

private:
  std::vector<core::MemoryPiece> pieces_;
  std::vector<Range> pages_; ///< Sorted, disjoint.
};

} // namespace sartor::cli

#endif
