// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/find.h"

#include <algorithm>
#include <map>

#include <llvm/Demangle/Demangle.h>

#include "compiler/frontend/call_marks.h"
#include "compiler/frontend/closure.h"
#include "compiler/frontend/inputs.h"
#include "compiler/frontend/labels.h"
#include "compiler/frontend/marks.h"
#include "compiler/frontend/native_only.h"
#include "compiler/frontend/operand.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/purity.h"
#include "compiler/frontend/scalar.h"
#include "compiler/frontend/shape.h"
#include "compiler/frontend/unreached.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Returns the readable name without suffixes made by the plugin.
std::string readable(const Function &function) {
  const std::string name = is_handler(function) ? handler_name(function) : function.getName().str();
  return llvm::demangle(StringRef(name).split(".sartor.").first.str());
}

Site site_of(const Mark &mark, const Function &function) {
  Site site{readable(function), mark.file, mark.line, shape_problem(function)};
  if (mark.type.bits > 64)
    site.problem = "the value is wider than 64 bits";
  return site;
}

std::string place_of(const Point &point) {
  return point.sites.front().file + ":" + std::to_string(point.sites.front().line);
}

/// A point found in the code.
struct Found {
  Point point;
  Site site;
  Function *function; ///< The wrapper, for a call point.
  CallInst *mark;     ///< Null for a call point.
  std::string place;  ///< The readable name of the function that contains the point: f<int>
};

Found found_call_point(Function &wrapper) {
  const CallMark mark = read_call_mark(wrapper);
  Found found{to_point(mark), {"", mark.file, mark.line, ""}, &wrapper, nullptr, ""};
  for (const User *user : wrapper.users())
    if (const auto *call = dyn_cast<CallBase>(user)) {
      found.site.function = readable(*call->getFunction());
      found.place = core::readable_name(call->getFunction()->getName().str());
    }
  if (found.point.kind == PointKind::fast_path) {
    const Purity purity = purity_of(*wrapped_call(wrapper).getCalledFunction());
    found.site.problem = purity.side_effect.empty()
                             ? inputs_problem(wrapper, mark)
                             : core::readable_name(mark.function) + "() " + purity.side_effect;
    found.point.reads_memory = purity.reads_memory;
  }
  return found;
}

Result<std::vector<Found>> all_points(Module &module) {
  std::vector<Found> all;
  for (Function &function : module) {
    if (is_call_point(function)) {
      if (auto problem = call_mark_problem(function))
        return std::unexpected(std::move(*problem));
      all.push_back(found_call_point(function));
      continue;
    }
    for (CallInst *call : points_of(function)) {
      auto mark = read_mark(*call);
      if (!mark)
        return std::unexpected(std::move(mark.error()));
      all.push_back({to_point(*mark), site_of(*mark, function), &function, call,
                     core::readable_name(function.getName().str())});
      all.back().point.is_operand = mark->kind != PointKind::assume && enters_as_operand(*call) &&
                                    all.back().site.problem.empty();
    }
  }
  return all;
}

void name_instance(Found &found) {
  found.point.label += "@" + found.place;
  if (found.mark)
    relabel(*found.mark, found.point.label);
  else
    relabel_call(*found.function, found.point.label);
}

// Gives each instance of a template a point of its own: the instances share one label but may
// differ in type.
void distinguish_instances(std::vector<Found> &all) {
  std::map<std::string, std::vector<Found *>> by_label;
  for (Found &found : all)
    by_label[found.point.label].push_back(&found);
  for (auto &[label, points] : by_label) {
    const Found &first = *points.front();
    const bool differ = std::ranges::any_of(
        points, [&](const Found *other) { return !difference(first.point, other->point).empty(); });
    const bool are_instances = std::ranges::all_of(
        points, [&](const Found *other) { return are_of_one_template(first.place, other->place); });
    if (differ && are_instances)
      std::ranges::for_each(points, [](Found *found) { name_instance(*found); });
  }
}

/// Collects the points of a module by label.
class Points {
public:
  Result<void> add(Found found) {
    const std::string label = found.point.label;
    Point &point = points.try_emplace(label, found.point).first->second;
    const std::string place = found.site.file + ":" + std::to_string(found.site.line);
    if (auto problem = choices_problem(found.point, place))
      return std::unexpected(std::move(*problem));
    if (const std::string differ = difference(point, found.point); !differ.empty())
      return std::unexpected(conflict(label, place_of(point), place, differ));
    point.reads_memory |= found.point.reads_memory;
    point.is_operand &= found.point.is_operand;
    if (std::ranges::find(point.sites, found.site) == point.sites.end())
      point.sites.push_back(std::move(found.site));
    labels[found.function].push_back(label);
    return {};
  }

  std::map<std::string, Point> points;
  std::map<Function *, std::vector<std::string>> labels;
};

/// Returns for each function the handlers that can reach it.
std::map<Function *, std::vector<std::string>> handlers_reaching(Module &module) {
  std::map<Function *, std::vector<std::string>> reaching;
  References references;
  for (Function &function : module)
    if (is_handler(function) && native_only_reason(function).empty())
      for (Function *reached : reachable_functions(function, references))
        reaching[reached].push_back(handler_name(function));
  return reaching;
}

} // namespace

Result<Space> find_points(Module &module) {
  auto all = all_points(module);
  if (!all)
    return std::unexpected(std::move(all.error()));
  distinguish_instances(*all);
  const std::map<Function *, std::vector<std::string>> reaching = handlers_reaching(module);
  Points found;
  for (Found &point : *all) {
    if (!reaching.contains(point.function) && point.site.problem.empty())
      point.site.unreached = why_unreached(*point.function);
    if (auto added = found.add(std::move(point)); !added)
      return std::unexpected(std::move(added.error()));
  }
  for (const auto &[function, labels] : found.labels)
    if (const auto handlers = reaching.find(function); handlers != reaching.end())
      for (const std::string &label : labels)
        std::ranges::copy(handlers->second, std::back_inserter(found.points.at(label).handlers));
  std::vector<Point> points;
  for (auto &[label, point] : found.points) {
    std::ranges::sort(point.handlers);
    const auto repeated = std::ranges::unique(point.handlers);
    point.handlers.erase(repeated.begin(), repeated.end());
    points.push_back(std::move(point));
  }
  return Space(std::move(points));
}

} // namespace sartor::compiler
