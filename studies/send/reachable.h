// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_REACHABLE_H
#define SEND_REACHABLE_H

#include <cstddef>
#include <string>
#include <vector>

namespace sartor::send {

/// Code size of a program's functions that are reachable by calls from these, including themselves,
/// according to objdump. Functions called only by pointers must be listed. Throws
/// std::runtime_error.
std::size_t reachable_bytes(const std::string &program, const std::vector<std::string> &functions);

/// lwip_send() and the functions that it calls by pointers.
std::vector<std::string> functions_of_sending();

} // namespace sartor::send

#endif
