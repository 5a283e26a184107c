// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_ENGINE_PIN_H
#define SARTOR_ENGINE_PIN_H

namespace sartor::engine {

/// The library that this address is in stays loaded, whoever calls dlclose().
void pin_library_of(const void *address);

} // namespace sartor::engine

#endif
