// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_USUAL_SYMBOLS_H
#define SARTOR_RUNTIME_CODEMEM_USUAL_SYMBOLS_H

#include <map>
#include <string>

namespace sartor::runtime {

/// Returns the functions that LLVM calls on its own (C, math and runtime libraries), as far as the
/// process has them. Must be called on the thread that opens a runtime: if that is a library's
/// constructor, dlsym() on any other thread waits until dlopen() has returned.
std::map<std::string, void *, std::less<>> usual_symbols();

} // namespace sartor::runtime

#endif
