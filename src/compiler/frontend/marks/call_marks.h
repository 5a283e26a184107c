// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_MARKS_CALL_MARKS_H
#define SARTOR_COMPILER_FRONTEND_MARKS_CALL_MARKS_H

#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

#include "base/result.h"

namespace sartor::compiler {

/// A call point (sartor_fast_path, sartor_custom) as written is a call whose result is stored,
/// followed by a mark. Raised, the call is in a *wrapper*: an internal function with the callee's
/// signature that is not inlined and describes the point in its metadata. The call in it is held:
/// it cannot be inlined or replaced.
///
///     %r = call i32 @sartor.call.lookup(ptr %table, i32 %address)
///
/// Specializing the point replaces the wrapper's body: the code around the call does not change.
/// The wrapper of a point with a version has an additional last parameter: a pointer to the
/// version.
struct CallMark {
  std::string label;
  PointKind kind = PointKind::fast_path;
  PointType type; ///< The type of the result.
  std::vector<PointType> arguments;
  std::string custom_kind;
  std::string function;       ///< The callee's name in the IR.
  unsigned version_bytes = 0; ///< Zero if the point has no version.
  std::string file;
  unsigned line = 0;
};

[[nodiscard]] bool is_call_point(const llvm::Function &function);
/// Returns the reason why a wrapper cannot be read; nothing if it can be. The functions below
/// require a readable wrapper.
std::optional<Failure> call_mark_problem(const llvm::Function &wrapper);
/// Reads a wrapper's metadata.
CallMark read_call_mark(const llvm::Function &wrapper);
/// Gives a call point another label.
void relabel_call(llvm::Function &wrapper, llvm::StringRef label);
/// Returns the call in a wrapper, as long as the wrapper has its generic body.
llvm::CallBase &wrapped_call(llvm::Function &wrapper);
/// Allows that call to be optimised, after the point has been decided.
void release_call(llvm::Function &wrapper);

/// Moves all calls at call points into wrappers. Fails with label_not_constant, bad_value_type,
/// point_not_specializable (for a call of no known function), naming file and line.
Result<void> raise_call_points(llvm::Module &module);

/// Removes the marks of call points and leaves the calls.
void erase_call_marks(llvm::Module &module);

/// Turns a point into an ordinary call when its code is compiled.
void make_call_generic(llvm::Function &wrapper);

} // namespace sartor::compiler

#endif
