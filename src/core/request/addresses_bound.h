// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REQUEST_ADDRESSES_BOUND_H
#define SARTOR_CORE_REQUEST_ADDRESSES_BOUND_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/request/context.h"

namespace sartor::core {

/// Words of bound arguments that may be addresses: any aligned word of an object. Inline, because
/// libsartor and libsartor-compiler share no code.
inline std::vector<std::uintptr_t> addresses_bound(const Context &context) {
  std::vector<std::uintptr_t> addresses;
  for (const auto &[index, bound] : context.arguments) {
    if (!bound.is_object()) {
      if (bound.value().is_integer())
        addresses.push_back(bound.value().bits());
      continue;
    }
    const std::string &bytes = bound.bytes();
    for (std::size_t i = 0; i + sizeof(std::uintptr_t) <= bytes.size(); i += sizeof(std::uintptr_t))
      std::memcpy(&addresses.emplace_back(), bytes.data() + i, sizeof(std::uintptr_t));
  }
  return addresses;
}

} // namespace sartor::core

#endif
