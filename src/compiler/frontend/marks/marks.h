// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_MARKS_MARKS_H
#define SARTOR_COMPILER_FRONTEND_MARKS_MARKS_H

#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Constant.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

#include "base/result.h"

namespace sartor::compiler {

/// The macros of points.h leave marks in the IR, in two forms. As written, a mark is a call that
/// takes the address of a temporary holding the value; it survives any optimisation but keeps the
/// temporary in memory. Raised, it is a call that takes the value and returns it, so that the code
/// around it can be optimised:
///
///     %r = call i64 @sartor.point.i64(i64 %x, ptr @label, i32 kind, ...)
///
/// Raised calls are opaque: they are not duplicated individually, deleted or merged.
struct Mark {
  std::string label;
  PointKind kind = PointKind::generic;
  PointType type;
  std::vector<llvm::Constant *> choices; ///< The choices of an enum or the bounds of a range.
  std::string file;
  unsigned line = 0;
};

/// A sartor_assert_const(x): the expression and its place.
struct ConstAssertion {
  std::string text;
  std::string file;
  unsigned line = 0;
};

/// Returns the reason why a label is not usable: labels are displayed, logged and sent. Empty if it
/// is usable.
std::string label_problem(const std::string &label);
/// Returns the text if the operand is a string literal.
std::optional<std::string> constant_string(const llvm::Value *operand);
/// Returns an integer constant; zero if the operand is none.
unsigned constant_number(const llvm::Value *operand);

/// Returns the instruction as a raised point, or null.
llvm::CallInst *as_point(llvm::Instruction &instruction);
/// Returns the instruction as a raised assertion, or null.
llvm::CallInst *as_const_assertion(llvm::Instruction &instruction);
/// The operands of a sartor_local() after the pointer that it returns; the same in both forms.
enum LocalOperand : unsigned { kLocalBytes = 1, kLocalSaved, kLocalCheck, kLocalFile, kLocalLine };
/// Returns the instruction as a sartor_local(), or null.
llvm::CallInst *as_local(llvm::Instruction &instruction);
/// Returns the instruction as a sartor_publish(), or null.
llvm::CallInst *as_publish(llvm::Instruction &instruction);
/// Returns all sartor_local() of a function.
std::vector<llvm::CallInst *> locals_of(llvm::Function &function);
/// Replaces each sartor_local() by its pointer argument, and removes all sartor_publish().
void erase_locals(llvm::Module &module);
/// Returns the instruction as a raised sartor_one_of(), or null.
llvm::CallInst *as_one_of(const llvm::Instruction &instruction);
/// True if an instruction is a raised mark of any kind.
[[nodiscard]] bool is_mark(const llvm::Instruction &instruction);
/// Returns the instruction as the mark after the end of a blocking section (sartor_blocking), or
/// null. The mark checks whether code that depends on invariants may continue.
llvm::CallInst *as_stay(llvm::Instruction &instruction);
/// Returns all such marks of a function.
std::vector<llvm::CallInst *> stays_of(llvm::Function &function);
/// Returns the calls that begin blocking sections in a function.
std::vector<llvm::CallInst *> blocking_begins_of(llvm::Function &function);
/// True if the instruction ends a blocking section.
bool is_blocking_end(llvm::Instruction &instruction);
/// True if another function ends a blocking section that this function begins.
bool ends_blocking_elsewhere(llvm::Function &function);
/// Removes blocking sections from a function: its threads then count as running all the time.
void erase_blocking(llvm::Function &function);
/// Returns all raised points of a function, in program order.
std::vector<llvm::CallInst *> points_of(llvm::Function &function);
/// Returns all raised assertions of a function.
std::vector<llvm::CallInst *> const_assertions_of(llvm::Function &function);

/// Returns all raised sartor_one_of() of a function.
std::vector<llvm::CallInst *> one_ofs_of(llvm::Function &function);

/// Returns the value passed to a raised point, assertion, sartor_one_of() or sartor_local().
llvm::Value *watched_value(llvm::CallInst &mark);

/// Reads a raised point. Fails with label_not_constant, bad_value_type (if the label is no text).
Result<Mark> read_mark(const llvm::CallInst &point);
/// Gives a raised point another label.
void relabel(llvm::CallInst &point, llvm::StringRef label);
ConstAssertion read_const_assertion(const llvm::CallInst &assertion);
/// Reads the expression and the place of a sartor_one_of().
ConstAssertion read_one_of(const llvm::CallInst &mark);

/// Turns all written marks into raised ones, including call points (call_marks.h). Fails with
/// bad_value_type if a value is no scalar, naming file and line, and as raise_call_points().
Result<void> raise_marks(llvm::Module &module);

/// Removes all marks, in either form: the result is the program without annotations.
void erase_marks(llvm::Module &module);

/// Replaces a raised point by its value.
void make_generic(llvm::CallInst &point);

} // namespace sartor::compiler

#endif
