// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_MARKS_H
#define SARTOR_COMPILER_FRONTEND_MARKS_H

#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Constant.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

#include "base/result.h"

namespace sartor::compiler {

/// What the macros of points.h leave in the IR, in two forms. As written, a mark is a call that
/// takes the address of a temporary holding the value; it survives any optimisation but keeps the
/// temporary in memory. Raised, it is a call that takes the value and returns it, so that the code
/// around it can be optimised:
///
///     %r = call i64 @sartor.point.i64(i64 %x, ptr @label, i32 kind, ...)
///
/// Raised calls are opaque: neither duplicated for its own sake, nor deleted, nor merged.
struct Mark {
  std::string label;
  PointKind kind = PointKind::generic;
  PointType type;
  std::vector<llvm::Constant *> choices; ///< An enum's choices, a range's bounds.
  std::string file;
  unsigned line = 0;
};

/// A sartor_assert_const(x): the expression and where it stands.
struct ConstAssertion {
  std::string text;
  std::string file;
  unsigned line = 0;
};

/// Why a label cannot be one: it is shown, logged and sent; empty where it can.
std::string label_problem(const std::string &label);
/// The text of a string literal, if that is what the operand is.
std::optional<std::string> constant_string(const llvm::Value *operand);
/// An integer constant; zero if the operand is none.
unsigned constant_number(const llvm::Value *operand);

/// The raised point that `instruction` is, or null.
llvm::CallInst *as_point(llvm::Instruction &instruction);
/// The raised assertion that `instruction` is, or null.
llvm::CallInst *as_const_assertion(llvm::Instruction &instruction);
/// The operands of a sartor_local(), in both forms, after the pointer that it gives.
enum LocalOperand : unsigned { kLocalBytes = 1, kLocalSaved, kLocalCheck, kLocalFile, kLocalLine };
/// The sartor_local() that `instruction` is, or null.
llvm::CallInst *as_local(llvm::Instruction &instruction);
/// The sartor_publish() that `instruction` is, or null.
llvm::CallInst *as_publish(llvm::Instruction &instruction);
/// All sartor_local() of a function.
std::vector<llvm::CallInst *> locals_of(llvm::Function &function);
/// Makes these the pointers that they are given, and takes all sartor_publish() out.
void erase_locals(llvm::Module &module);
/// The raised sartor_one_of() that `instruction` is, or null.
llvm::CallInst *as_one_of(const llvm::Instruction &instruction);
/// Whether an instruction is a raised mark of any kind.
[[nodiscard]] bool is_mark(const llvm::Instruction &instruction);
/// The mark after the end of a blocking section (sartor_blocking) that `instruction` is, or null:
/// it watches whether code may go on that leans on promises.
llvm::CallInst *as_stay(llvm::Instruction &instruction);
/// All of a function.
std::vector<llvm::CallInst *> stays_of(llvm::Function &function);
/// The calls of a function that begin blocking sections.
std::vector<llvm::CallInst *> blocking_begins_of(llvm::Function &function);
/// Whether a call ends one.
bool is_blocking_end(llvm::Instruction &instruction);
/// Whether a blocking section that begins in a function is ended by another one.
bool ends_blocking_elsewhere(llvm::Function &function);
/// Takes blocking sections out of a function: its threads count as running all the time.
void erase_blocking(llvm::Function &function);
/// All raised points of a function, in program order.
std::vector<llvm::CallInst *> points_of(llvm::Function &function);
/// All raised assertions of a function.
std::vector<llvm::CallInst *> const_assertions_of(llvm::Function &function);

/// All raised sartor_one_of() of a function.
std::vector<llvm::CallInst *> one_ofs_of(llvm::Function &function);

/// The value that a raised point, assertion, sartor_one_of() or sartor_local() is given.
llvm::Value *watched_value(llvm::CallInst &mark);

/// Reads a raised point. Fails with label_not_constant, bad_value_type (for a label that is no
/// text).
Result<Mark> read_mark(const llvm::CallInst &point);
/// Gives a raised point another label.
void relabel(llvm::CallInst &point, llvm::StringRef label);
ConstAssertion read_const_assertion(const llvm::CallInst &assertion);
/// What a sartor_one_of() watches, as the source has it, and where.
ConstAssertion read_one_of(const llvm::CallInst &mark);

/// Turns all marks as written into raised ones, call points among them (call_marks.h). Fails with
/// bad_value_type where a value is no scalar, naming file and line, and as raise_call_points().
Result<void> raise_marks(llvm::Module &module);

/// Removes all marks, in either form: what is left is the program without annotations.
void erase_marks(llvm::Module &module);

/// Makes a raised point the identity.
void make_generic(llvm::CallInst &point);

} // namespace sartor::compiler

#endif
