// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_HASH_H
#define SARTOR_BASE_HASH_H

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace sartor::base {

/// A hash (BLAKE2b): equal keys mean equal content.
using ContentKey = std::array<std::uint8_t, 32>;

/// Hashes strings one after the other; the boundaries between them are part of the hash.
ContentKey hash_of(std::initializer_list<std::string_view> parts);

/// Lower-case hexadecimal digits.
std::string to_text(const ContentKey &key);

} // namespace sartor::base

#endif
