// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_GUARD_SECTION_H
#define SARTOR_CORE_SPACE_GUARD_SECTION_H

#include <string_view>

namespace sartor::core {

/// The section of a program in which the compiler plugin records the stores to watched fields that
/// it has guarded, and those that it could not. It is not loaded: it is read from the file. One
/// piece for each file that was compiled, padded to 8 bytes; the linker joins them:
///
///     offset  bytes
///          0      8  "SARTORGW"
///          8      8  number of bytes that follow, without the padding
///         16         JSON: {"watched": [{"field", "record_size", "offset", "size"}],
///                           "guarded": [{"file", "line", "field", "kind"}],
///                           "unproven": [{"file", "line", "field", "reason"}]}
constexpr const char *kGuardSection = ".sartor.guards";
constexpr std::string_view kGuardMagic = "SARTORGW";
constexpr unsigned kGuardHeaderSize = 16;

} // namespace sartor::core

#endif
