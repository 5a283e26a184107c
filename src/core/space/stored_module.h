// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_STORED_MODULE_H
#define SARTOR_CORE_SPACE_STORED_MODULE_H

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/space/module.h"

namespace sartor::core {

/// Serializes a handler module without the parts that belong to the process: `symbols`,
/// constraints, and the points' profile.
std::string pack_module(const HandlerModule &module);

/// Parses the output of pack_module(). The bytes may be untrusted: a checksum detects damage, and
/// all numbers and positions are checked. Fails with file_error.
Result<HandlerModule> unpack_module(std::string_view packed);

} // namespace sartor::core

#endif
