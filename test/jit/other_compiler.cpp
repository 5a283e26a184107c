// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libsartor must not take for its compiler: another build's.
#include <cstdlib>

#include "jit/compiler_library.h"

extern "C" const sartor::jit::CompilerLibrary sartor_compiler_0;
const sartor::jit::CompilerLibrary sartor_compiler_0{
    {"0.0.9 another"}, []() -> sartor::jit::InsideCompiler & { std::abort(); }};
