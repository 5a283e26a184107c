// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REQUEST_KERNEL_MAP_KIND_H
#define SARTOR_CORE_REQUEST_KERNEL_MAP_KIND_H

#include <cstdint>
#include <optional>

#include <linux/bpf.h>

#include "core/request/kernel_memory.h"

namespace sartor::core {

/// Converts Linux's type of a map; nothing if the content of such maps cannot be folded.
inline std::optional<KernelMapKind> kernel_map_kind(std::uint64_t type) {
  switch (type) {
  case BPF_MAP_TYPE_ARRAY:
    return KernelMapKind::array;
  case BPF_MAP_TYPE_HASH:
    return KernelMapKind::hash;
  case BPF_MAP_TYPE_LPM_TRIE:
    return KernelMapKind::prefixes;
  default:
    return std::nullopt;
  }
}

} // namespace sartor::core

#endif
