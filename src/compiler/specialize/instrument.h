// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_INSTRUMENT_H
#define SARTOR_COMPILER_SPECIALIZE_INSTRUMENT_H

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

#include "compiler/frontend/call_marks.h"
#include "core/profile/store.h"
#include "core/request/context.h"

namespace sartor::compiler {

/// Instruments in two steps: first, while points are still marks, *sightings* are put where a point
/// sees something; they go along with all copying, have no effect that anybody could tell, and are
/// turned into code that counts at the end. `context` names the points, and the store in which
/// they are counted.
class Instrumentation {
public:
  Instrumentation(const Space &space, const core::Context &context)
      : space_(space), context_(context) {}

  /// Puts a sighting in front of the points of a function that are to be instrumented.
  void instrument_points(llvm::Function &function) const;
  /// Puts a sighting behind all that a call point's wrapper does, once it has its final body.
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

/// Whether an instruction is a sighting.
bool is_sighting(const llvm::Instruction &instruction);
/// Whether control may meet one, here or in functions that are called, from the head of `place` on.
bool sights_from(llvm::BasicBlock &place);

} // namespace sartor::compiler

#endif
