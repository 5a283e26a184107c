// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_SYSTEM_CALL_NAME_H
#define SARTOR_RUNTIME_VERIFY_SYSTEM_CALL_NAME_H

#include <cstdint>
#include <string>

namespace sartor::runtime {

/// The name of a system call that ordinary code makes, or its number.
std::string system_call_name(std::int64_t number);

/// True for calls that the C library makes to manage memory and locks: whether they are made
/// depends on more than the called code.
bool is_call_of_allocator(std::int64_t number);

} // namespace sartor::runtime

#endif
