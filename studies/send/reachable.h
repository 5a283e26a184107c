// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_REACHABLE_H
#define SEND_REACHABLE_H

#include <cstddef>
#include <string>
#include <vector>

namespace sartor::send {

/// Bytes of those functions of a program that calls lead to from these, themselves included, as
/// objdump shows it. What is called by pointers alone has to be among them. Throws
/// std::runtime_error.
std::size_t reachable_bytes(const std::string &program, const std::vector<std::string> &functions);

/// What lwip_send() calls by pointers, and itself.
std::vector<std::string> functions_of_sending();

} // namespace sartor::send

#endif
