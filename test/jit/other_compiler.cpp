// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler library of another build, which libsartor must not use.
#include <cstdlib>

#include "core/compiler/compiler_library.h"

extern "C" const sartor::core::CompilerLibrary sartor_compiler_0;
const sartor::core::CompilerLibrary sartor_compiler_0{
    {"0.0.9 another"}, []() -> sartor::core::InProcessCompiler & { std::abort(); }};
