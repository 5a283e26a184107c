// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libsartor must not take for its compiler: another build's.
#include <cstdlib>

#include "core/compiler/compiler_library.h"

extern "C" const sartor::core::CompilerLibrary sartor_compiler_0;
const sartor::core::CompilerLibrary sartor_compiler_0{
    {"0.0.9 another"}, []() -> sartor::core::InsideCompiler & { std::abort(); }};
