// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/marks/labels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compiler/frontend/scalar.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Returns a name without template arguments: C::f for C<int>::f.
std::string template_of(const std::string &name) {
  std::string plain;
  unsigned depth = 0;
  for (const char c : name) {
    depth += c == '<' ? 1 : 0;
    if (depth == 0)
      plain += c;
    depth -= c == '>' && depth > 0 ? 1 : 0;
  }
  return plain;
}

/// A point in the source.
struct Written {
  Point point;
  std::string place;    ///< file:line
  std::string function; ///< The readable name of the function that contains it: f<int>.
};

std::string function_of(const Function &wrapper) {
  for (const User *user : wrapper.users())
    if (const auto *call = dyn_cast<CallBase>(user))
      return core::readable_name(call->getFunction()->getName().str());
  return {};
}

} // namespace

Point to_point(const Mark &mark) {
  Point point{mark.label, mark.kind, mark.type};
  for (const Constant *choice : mark.choices)
    if (auto value = to_value(*choice, mark.type))
      point.choices.push_back(std::move(*value));
  return point;
}

Point to_point(const CallMark &mark) {
  Point point{mark.label, mark.kind, mark.type};
  point.function = core::readable_name(mark.function);
  point.arguments = mark.arguments;
  point.custom_kind = mark.custom_kind;
  point.is_versioned = mark.version_bytes != 0;
  return point;
}

std::string difference(const Point &a, const Point &b) {
  if (a.kind != b.kind || a.custom_kind != b.custom_kind || a.is_versioned != b.is_versioned)
    return "kind";
  if (a.type != b.type || a.arguments != b.arguments)
    return "type";
  if (a.function != b.function)
    return "function";
  return a.choices == b.choices ? "" : "choices";
}

bool are_of_one_template(const std::string &a, const std::string &b) {
  return a.contains('<') && template_of(a) == template_of(b);
}

Failure conflict(const std::string &label, const std::string &place, const std::string &other,
                 const std::string &difference) {
  return {ErrorCode::conflicting_label, label,
          "the points at " + place + " and " + other + " differ in their " + difference,
          "give one of them another label, or the same choices"};
}

std::optional<Failure> choices_problem(const Point &point, const std::string &place) {
  if (point.type.bits > 64) // no setting fits it
    return std::nullopt;
  if (point.kind == PointKind::enumeration && point.choices.empty())
    return Failure{ErrorCode::bad_choices, point.label, "the point at " + place + " has no choices",
                   "list its choices, or use sartor_generic() for any value"};
  if (std::ranges::any_of(point.choices, [](const Value &choice) {
        return choice.is_floating() && std::isnan(choice.floating());
      }))
    return Failure{ErrorCode::bad_choices, point.label,
                   "the point at " + place + " has a choice that is no number",
                   "leave out NaN: no value is equal to it"};
  if (point.kind != PointKind::range || point.choices.size() != 2)
    return std::nullopt;
  const auto &low = point.choices.front(), &high = point.choices.back();
  if (low.is_symbol() || high.is_symbol() || low <= high)
    return std::nullopt;
  return Failure{ErrorCode::bad_choices, point.label,
                 "the range at " + place + " goes from " + low.text() + " to " + high.text() +
                     ", and has no value",
                 "write the lower bound first"};
}

std::vector<Failure> mistakes_in_marks(Module &module) {
  std::vector<Failure> mistakes;
  std::map<std::string, Written> first;
  const auto add = [&](Written written) {
    if (auto problem = choices_problem(written.point, written.place))
      mistakes.push_back(std::move(*problem));
    const auto &[known, is_new] = first.try_emplace(written.point.label, written);
    const Written &before = known->second;
    if (is_new || are_of_one_template(before.function, written.function))
      return;
    if (const std::string differ = difference(before.point, written.point); !differ.empty())
      mistakes.push_back(conflict(written.point.label, before.place, written.place, differ));
  };
  for (Function &function : module) {
    const std::string name = core::readable_name(function.getName().str());
    for (CallInst *call : points_of(function)) {
      if (const auto mark = read_mark(*call))
        add({to_point(*mark), mark->file + ":" + std::to_string(mark->line), name});
      else
        mistakes.push_back(mark.error());
    }
    if (!is_call_point(function))
      continue;
    if (auto problem = call_mark_problem(function)) {
      mistakes.push_back(std::move(*problem));
      continue;
    }
    const CallMark mark = read_call_mark(function);
    add({to_point(mark), mark.file + ":" + std::to_string(mark.line), function_of(function)});
  }
  return mistakes;
}

} // namespace sartor::compiler
