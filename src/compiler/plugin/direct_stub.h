// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DIRECT_STUB_H
#define SARTOR_COMPILER_PLUGIN_DIRECT_STUB_H

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

namespace sartor::compiler {

/// A handler that is called directly. All functions are of one type; the stub's name is the
/// handler's.
struct DirectHandler {
  llvm::Function &stub;
  llvm::Function &native;
  llvm::GlobalVariable &lead;   ///< A sartor_direct.
  llvm::GlobalVariable &reader; ///< What its `reader` points to.
};

/// The stub as passes may see it: it calls nothing that they know.
void write_opaque_stub(const DirectHandler &handler);

/// The stub as it is. A direct call begins a read section (sartor/read_section.hpp) before it reads
/// where to go: else what it has read could be given back before it has got there. Where nothing is
/// thrown, `in_place`, it jumps there with arguments and stack as they are, and the section is
/// ended where variants return to (direct_return.h). Otherwise, and where the section is
/// not the thread's outermost one on its own stack, a frame in between ends it. Within such a
/// section, further ones on the same stack need not be told.
void write_stub(const DirectHandler &handler, bool in_place);

/// What variants leave into: ends the section, if it was begun there, and jumps to the native code.
void write_way_out(llvm::Function &out, const DirectHandler &handler);

} // namespace sartor::compiler

#endif
