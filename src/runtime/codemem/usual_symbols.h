// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_USUAL_SYMBOLS_H
#define SARTOR_RUNTIME_CODEMEM_USUAL_SYMBOLS_H

#include <map>
#include <string>

namespace sartor::runtime {

/// What LLVM calls of its own accord (C, math and runtime libraries), as far as the process has it.
/// To be asked on the thread that opens a runtime: where that is a library's constructor, dlsym()
/// waits on every other thread until dlopen() has returned.
std::map<std::string, void *, std::less<>> usual_symbols();

} // namespace sartor::runtime

#endif
