// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_DECIDE_H
#define SARTOR_COMPILER_SPECIALIZE_DECIDE_H

#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

#include "base/result.h"
#include "compiler/specialize/fold/keep_loads.h"
#include "compiler/specialize/instrument.h"
#include "compiler/specialize/kernel/kernel_maps.h"
#include "compiler/specialize/specialize.h"

namespace sartor::compiler {

/// Decides all points of a module that was extracted for a handler, whose function is `entry`: each
/// is set as in the context, or generic. `kept` may be null; for handlers in the kernel, `kernel`
/// is also guarded at the entry. Fails with unknown_custom_kind, too_many_bodies, and as
/// build_custom().
Result<void> decide_points(Specialized &made, llvm::Function &entry, const Space &space,
                           const core::Context &context, const Instrumentation &instrumentation,
                           const KeptLoads *kept, KernelGuards *kernel = nullptr);

/// Replaces each placeholder for the value of a point that is not known yet by an instruction at
/// the beginning of its function that moves the symbol's 64-bit address into a register: otherwise
/// the code generator may assume that the address fits into 32 bits.
void open_holes(llvm::Module &module);

} // namespace sartor::compiler

#endif
