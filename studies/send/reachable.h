// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_REACHABLE_H
#define SEND_REACHABLE_H

#include <cstddef>
#include <string>
#include <vector>

namespace sartor::send {

/// Bytes of a program's functions.
struct Reachable {
  std::size_t by_calls = 0;     ///< That calls lead to.
  std::size_t by_reference = 0; ///< That anything in the code leads to: what a linker has to keep.
};

/// Of those that these functions of the program lead to, themselves included, as objdump shows it.
/// What is called by pointers alone has to be among them. Throws std::runtime_error.
Reachable reachable_from(const std::string &program, const std::vector<std::string> &functions);

/// What lwip_send() calls by pointers, and itself.
std::vector<std::string> functions_of_sending();

} // namespace sartor::send

#endif
