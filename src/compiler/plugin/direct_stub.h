// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DIRECT_STUB_H
#define SARTOR_COMPILER_PLUGIN_DIRECT_STUB_H

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

namespace sartor::compiler {

/// A handler that is called directly. All functions have the same type; the stub has the handler's
/// name.
struct DirectHandler {
  llvm::Function &stub;
  llvm::Function &native;
  llvm::GlobalVariable &lead;   ///< A sartor_direct.
  llvm::GlobalVariable &reader; ///< The variable that its `reader` points to.
};

/// Writes the stub in a form for passes: it only calls functions that they do not know.
void write_opaque_stub(const DirectHandler &handler);

/// Writes the final stub. A direct call begins a read section (sartor/read_section.hpp) before it
/// reads the target: otherwise the code could be reclaimed before the call reaches it. With
/// `in_place`, for handlers that do not throw, the stub jumps to the target with arguments and
/// stack unchanged, and the section ends where variants return to (direct.cpp). Otherwise, and
/// if the section is not the thread's outermost one on its own stack, a frame in between ends it.
/// Nested sections on the same stack need not be recorded.
void write_stub(const DirectHandler &handler, bool in_place);

/// Writes the function that variants use to leave for generic code: it ends the section, if the
/// call began it, and jumps to the native code.
void write_way_out(llvm::Function &out, const DirectHandler &handler);

} // namespace sartor::compiler

#endif
