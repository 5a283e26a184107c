// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_PIN_H
#define SARTOR_BASE_PIN_H

namespace sartor::base {

/// Keeps the library that contains this address loaded, even if the program calls dlclose().
void pin_library_of(const void *address);

} // namespace sartor::base

#endif
