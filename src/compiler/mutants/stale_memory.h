// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_MUTANTS_STALE_MEMORY_H
#define SARTOR_COMPILER_MUTANTS_STALE_MEMORY_H

#include "compiler/mutants/mutant.h"
#include "core/request/context.h"

namespace sartor::compiler {

/// Makes a variant see another value in one word of 4 bytes of its invariant memory. Places are the
/// words that are no part of what may be a pointer, in the order of their addresses.
void make_memory_stale(core::Context &context, const Mutant &mutant);

} // namespace sartor::compiler

#endif
