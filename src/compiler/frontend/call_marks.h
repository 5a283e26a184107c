// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_CALL_MARKS_H
#define SARTOR_COMPILER_FRONTEND_CALL_MARKS_H

#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

#include "base/result.h"

namespace sartor::compiler {

/// A call point (sartor_fast_path, sartor_custom) as written is a call whose result is stored, and
/// a mark right after. Raised, the call stands in a *wrapper*: an internal function of its own,
/// with the callee's signature, that is not inlined and says in its metadata what it is. The call
/// in it is held: kept from being inlined or replaced.
///
///     %r = call i32 @sartor.call.lookup(ptr %table, i32 %address)
///
/// Specializing the point is writing another body into the wrapper: nothing around it changes. The
/// wrapper of a point with a version has one parameter more, the last: a pointer to the version.
struct CallMark {
  std::string label;
  PointKind kind = PointKind::fast_path;
  PointType type; ///< Of the result.
  std::vector<PointType> arguments;
  std::string custom_kind;
  std::string function;       ///< Which is called, as the IR calls it.
  unsigned version_bytes = 0; ///< Zero if the point has no version.
  std::string file;
  unsigned line = 0;
};

[[nodiscard]] bool is_call_point(const llvm::Function &function);
/// Why a wrapper cannot be read; nothing if it can be. What follows requires that.
std::optional<Failure> call_mark_problem(const llvm::Function &wrapper);
/// What a wrapper says of itself.
CallMark read_call_mark(const llvm::Function &wrapper);
/// Gives a call point another label.
void relabel_call(llvm::Function &wrapper, llvm::StringRef label);
/// The call that a wrapper stands for, while its body is the generic one.
llvm::CallBase &wrapped_call(llvm::Function &wrapper);
/// Lets that call be optimised, once it is decided what becomes of the point.
void release_call(llvm::Function &wrapper);

/// Whether a parameter is more than its value: a structure passed or returned through memory.
[[nodiscard]] bool is_aggregate(const llvm::Argument &parameter);

/// Moves all calls at call points into wrappers. Fails with label_not_constant, bad_value_type,
/// point_not_specializable (for a call of no known function), naming file and line.
Result<void> raise_call_points(llvm::Module &module);

/// Removes the marks of call points: what is left are the calls.
void erase_call_marks(llvm::Module &module);

/// Makes the point the call that it stands for, once it is compiled: it is none any more.
void make_call_generic(llvm::Function &wrapper);

} // namespace sartor::compiler

#endif
