// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REQUEST_KERNEL_MEMORY_H
#define SARTOR_CORE_REQUEST_KERNEL_MEMORY_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sartor::core {

enum class KernelMapKind : std::uint8_t { array, hash, prefixes };

/// The content of a map in the kernel, invariant as long as its version is this one.
struct KernelMap {
  struct Entry {
    std::string key;
    std::string value;
  };
  KernelMapKind kind = KernelMapKind::array;
  std::uint32_t key_bytes = 0;
  std::uint32_t value_bytes = 0;
  std::uint64_t version = 0;
  std::vector<Entry> entries; ///< For an array: all entries, in order.
};

/// Content of kernel memory that a variant may depend on. A value type.
struct KernelMemory {
  std::map<std::string, KernelMap, std::less<>> maps; ///< By name.
  /// Maps labels of custom points that are set to the map that their code is made from.
  std::map<std::string, std::string, std::less<>> tied = {};
  /// Values of constants that are set before an object is loaded, by name.
  std::map<std::string, std::string, std::less<>> settings;
};

} // namespace sartor::core

#endif
