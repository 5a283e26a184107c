// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_GCC_FLAGS_H
#define SARTOR_TOOLS_CC_GCC_FLAGS_H

#include <string>

namespace sartor::cc {

/// True if an option of gcc only controls optimization, reports or measurement, or concerns
/// link-time optimization and profiles, which objects with handlers do not have: the code means the
/// same without it. Options that clang also has are not among them.
bool only_steers_gcc(const std::string &option);

/// True if an option of gcc changes the meaning or the calling convention of code, and clang has no
/// equivalent. Not complete: clang itself rejects unknown options.
bool changes_meaning(const std::string &option);

} // namespace sartor::cc

#endif
