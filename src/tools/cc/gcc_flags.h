// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_GCC_FLAGS_H
#define SARTOR_TOOLS_CC_GCC_FLAGS_H

#include <string>

namespace sartor::cc {

/// Whether an option of gcc's steers how it optimises, reports or measures, or concerns link-time
/// optimisation and profiles, of which objects with handlers have none: code means the same
/// without. Options that clang knows, too, are not among them.
bool only_steers_gcc(const std::string &option);

/// Whether an option of gcc's changes what code means or how it is called, and clang has nothing
/// like it. Not complete: clang refuses by name what it has never heard of.
bool changes_meaning(const std::string &option);

} // namespace sartor::cc

#endif
