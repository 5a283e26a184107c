// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libsartor asks libsartor-compiler for.
#include "compile/llvm_compiler.h"
#include "engine/build_stamp.h"
#include "jit/compiler_library.h"

extern "C" const sartor::jit::CompilerLibrary sartor_compiler_0;
const sartor::jit::CompilerLibrary sartor_compiler_0{{sartor::engine::kBuildStamp},
                                                     &sartor::jit::llvm_compiler};
