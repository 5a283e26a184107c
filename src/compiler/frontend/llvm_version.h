// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The differences between the supported versions of LLVM's interface.
#ifndef SARTOR_COMPILER_FRONTEND_LLVM_VERSION_H
#define SARTOR_COMPILER_FRONTEND_LLVM_VERSION_H

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR < 22
#error "Sartor needs LLVM 22 or newer"
#endif

// LLVM versions before 22 name this header <llvm/Passes/PassPlugin.h>.
#include <llvm/Plugins/PassPlugin.h> // IWYU pragma: export

#endif
