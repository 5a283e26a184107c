// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_MARKS_LABELS_H
#define SARTOR_COMPILER_FRONTEND_MARKS_LABELS_H

#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

#include "base/result.h"
#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/marks/marks.h"

namespace sartor::compiler {

/// Converts a mark's declaration to a point, without sites and handlers.
Point to_point(const Mark &mark);
Point to_point(const CallMark &mark);

/// Returns the property in which two points of one label differ: "kind", "type", "function" or
/// "choices". Empty if they agree.
std::string difference(const Point &a, const Point &b);

/// True if two functions, given by readable names, are instances of one template. Points with one
/// label in them may differ; each is then a separate point.
bool are_of_one_template(const std::string &a, const std::string &b);

/// Makes the error conflicting_label. The places have the form file:line.
Failure conflict(const std::string &label, const std::string &place, const std::string &other,
                 const std::string &difference);

/// Returns the error bad_choices if a list of choices is empty or a range ends before it begins.
std::optional<Failure> choices_problem(const Point &point, const std::string &place);

/// Returns all errors in the marks of a module whose marks are raised and not yet inlined: those of
/// read_mark() and call_mark_problem(), bad_choices, conflicting_label. Empty if there are none.
std::vector<Failure> mistakes_in_marks(llvm::Module &module);

} // namespace sartor::compiler

#endif
