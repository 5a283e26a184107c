// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that libsartor looks up in libsartor-compiler.
#include "base/build_stamp.h"
#include "compiler/codegen/llvm_compiler.h"
#include "core/compiler/compiler_library.h"

extern "C" const sartor::core::CompilerLibrary sartor_compiler_0;
const sartor::core::CompilerLibrary sartor_compiler_0{{sartor::base::kBuildStamp},
                                                      &sartor::compiler::llvm_compiler};
