// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_HANDLER_NAME_H
#define SARTOR_CORE_SPACE_HANDLER_NAME_H

#include <string>

namespace sartor::core {

/// Returns readable_name(symbol) for a handler's symbol. Remembers the names of 4,096 handlers,
/// because finding one takes ten microseconds and each request needs some. Thread-safe.
std::string readable_handler_name(const std::string &symbol);

} // namespace sartor::core

#endif
