// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_STORED_MODULE_H
#define SARTOR_CORE_SPACE_STORED_MODULE_H

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/space/module.h"

namespace sartor::core {

/// A handler module as bytes, but for what is the process's and not the module's: `symbols`,
/// constraints, and what was seen at points.
std::string pack_module(const HandlerModule &module);

/// Reads what pack_module() has written. Bytes from anywhere may be given: a checksum finds damage,
/// and all numbers and places are checked besides. Fails with file_error.
Result<HandlerModule> unpack_module(std::string_view packed);

} // namespace sartor::core

#endif
