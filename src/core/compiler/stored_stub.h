// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_STORED_STUB_H
#define SARTOR_CORE_COMPILER_STORED_STUB_H

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/compiler/compiler.h"
#include "core/space/readable_name.h"

namespace sartor::core {

/// Name in perf and gdb, and in caches: `matmul` → `matmul (check)`.
inline std::string checking_symbol(const std::string &handler) {
  return readable_name(handler) + " (check)";
}

/// Serializes a checking stub for a cache or another process.
std::string pack_stub(const CheckingStub &stub);

/// Parses the output of pack_stub(). The bytes may be untrusted: see unpack_image(). Texts are made
/// printable. Fails with file_error.
Result<CheckingStub> unpack_stub(std::string_view packed);

} // namespace sartor::core

#endif
