// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_CLANG_H
#define SARTOR_RUNTIME_JIT_CLANG_H

#include <string>
#include <vector>

#include "base/result.h"

namespace sartor::runtime {

/// Runs clang in a separate process and waits for it: compiles C source text to LLVM bitcode
/// without optimization. Clang is $SARTOR_CLANG, or the one that Sartor was built with, or the one
/// on the path. Writes no files. Fails with no_clang, or with bad_generator and the first of
/// clang's messages; `label` is the subject of both.
Result<std::string> compile_c(const std::string &text, const std::vector<std::string> &flags,
                              const std::string &label);

} // namespace sartor::runtime

#endif
