// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_MEMORY_PICTURE_H
#define SARTOR_RUNTIME_VERIFY_MEMORY_PICTURE_H

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/difference/difference.h"

namespace sartor::runtime {

/// The content of parts of the memory at one time.
class MemoryPicture {
public:
  /// Adds a part. It takes precedence over earlier ones where it overlaps them.
  void put(std::uint64_t address, std::string_view bytes);
  /// The content of the known parts, by address, disjoint.
  [[nodiscard]] std::vector<core::MemoryPiece> pieces() const;
  /// Returns the bytes of a later content that are different from the picture's; bytes that are not
  /// in the picture are ignored.
  [[nodiscard]] std::vector<core::MemoryPiece> changes(std::uint64_t address,
                                                       std::string_view now) const;

private:
  std::map<std::uint64_t, std::string> parts_; ///< By address, disjoint.
};

} // namespace sartor::runtime

#endif
