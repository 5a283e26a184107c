// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_QUARANTINE_MEMORY_CONTENT_H
#define SARTOR_CORE_QUARANTINE_MEMORY_CONTENT_H

#include <cstdint>
#include <string>
#include <vector>

#include "core/request/invariant_memory.h"

namespace sartor::core {

/// The content of invariant memory without its addresses: the same in each process whose objects
/// have the same values and point to each other in the same way.
class MemoryContent {
public:
  explicit MemoryContent(Reached memory);

  /// A hash of all objects.
  [[nodiscard]] const std::string &hash() const { return hash_; }
  /// An address as a hash of the object that it points into, and the offset there. All addresses
  /// outside of the objects have the same text.
  [[nodiscard]] std::string place_of(std::uintptr_t address) const;

private:
  [[nodiscard]] const Extent *object_at(std::uintptr_t address) const;
  [[nodiscard]] std::string hash_of_object(const Extent &object) const;
  void replace_addresses(const Region &region, std::string &bytes, std::string &places) const;

  Reached memory_;
  std::vector<std::string> hashes_; ///< Of the objects, in their order.
  std::string hash_;
};

} // namespace sartor::core

#endif
