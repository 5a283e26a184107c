// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// LLVM's interface for plugins with passes, whose header has another name since LLVM 22.
#ifndef SARTOR_COMPILER_FRONTEND_PASS_PLUGIN_H
#define SARTOR_COMPILER_FRONTEND_PASS_PLUGIN_H

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR < 22
#include <llvm/Passes/PassPlugin.h> // IWYU pragma: export
#else
#include <llvm/Plugins/PassPlugin.h> // IWYU pragma: export
#endif

#endif
