// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_LABELS_H
#define SARTOR_COMPILER_FRONTEND_LABELS_H

#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

#include "base/result.h"
#include "compiler/frontend/call_marks.h"
#include "compiler/frontend/marks.h"

namespace sartor::compiler {

/// What a mark declares, without sites and handlers.
Point to_point(const Mark &mark);
Point to_point(const CallMark &mark);

/// In what two points of one label differ: "kind", "type", "function" or "choices". Empty if they
/// agree.
std::string difference(const Point &a, const Point &b);

/// Whether two functions, by their readable names, are instances of one template. Points of one
/// label in them may differ: each is then a point of its own.
bool are_of_one_template(const std::string &a, const std::string &b);

/// conflicting_label. The places are file:line.
Failure conflict(const std::string &label, const std::string &place, const std::string &other,
                 const std::string &difference);

/// Why a point's choices make no sense (bad_choices), where a list is empty or a range ends before
/// its beginning.
std::optional<Failure> choices_problem(const Point &point, const std::string &place);

/// All mistakes in the marks of a module that are raised and not yet inlined anywhere: as
/// read_mark() and call_mark_problem(), bad_choices, conflicting_label. Empty if there are none.
std::vector<Failure> mistakes_in_marks(llvm::Module &module);

} // namespace sartor::compiler

#endif
