// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_INSTRUMENT_H
#define SARTOR_COMPILER_SPECIALIZE_INSTRUMENT_H

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

#include "compiler/frontend/marks/call_marks.h"
#include "core/profile/store.h"
#include "core/request/context.h"

namespace sartor::compiler {

/// Instruments code in two steps: while points are still marks, *sightings* are inserted where a
/// point observes a value; they are copied along with the code, have no observable effect, and are
/// turned into counting code at the end. `context` names the points, and the store that counts
/// them.
class Instrumentation {
public:
  Instrumentation(const Space &space, const core::Context &context)
      : space_(space), context_(context) {}

  /// Inserts a sighting in front of each point of a function that is to be instrumented.
  void instrument_points(llvm::Function &function) const;
  /// Inserts a sighting at the end of a call point's wrapper, once it has its final body.
  void instrument_call(llvm::Function &wrapper, const CallMark &mark) const;
  /// Turns all sightings of a module into code.
  void finish(llvm::Module &module) const;

private:
  [[nodiscard]] const unsigned *every(const std::string &label) const;
  void sight(llvm::Instruction &before, const std::string &label,
             llvm::ArrayRef<llvm::Value *> values) const;

  const Space &space_;
  const core::Context &context_;
};

/// True if an instruction is a sighting.
bool is_sighting(const llvm::Instruction &instruction);
/// True if control may reach a sighting from the beginning of `place`, including those in called
/// functions.
bool sights_from(llvm::BasicBlock &place);

} // namespace sartor::compiler

#endif
