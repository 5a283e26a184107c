// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The differences between versions of LLVM's interface that Sartor meets, in one place.
#ifndef SARTOR_COMPILER_FRONTEND_LLVM_VERSION_H
#define SARTOR_COMPILER_FRONTEND_LLVM_VERSION_H

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR < 22
#error "Sartor needs LLVM 22 or newer"
#endif

// Before LLVM 22 this was <llvm/Passes/PassPlugin.h>.
#include <llvm/Plugins/PassPlugin.h> // IWYU pragma: export

#endif
