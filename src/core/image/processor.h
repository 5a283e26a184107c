// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_IMAGE_PROCESSOR_H
#define SARTOR_CORE_IMAGE_PROCESSOR_H

#include <span>
#include <string>

namespace sartor::core {

/// The processor of this process, as far as it determines the code that is made for it and can run
/// on it: architecture, model, and features reported by it and enabled by the system. Immutable.
const std::string &this_processor();

/// The levels of the x86-64 psABI (section 3.1.1) that it supports, the highest first: "x86-64-v3",
/// "x86-64-v2", "x86-64".
std::span<const char *const> levels_of_this_processor();

} // namespace sartor::core

#endif
