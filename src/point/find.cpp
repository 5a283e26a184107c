// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/find.h"

#include <algorithm>
#include <map>

#include <llvm/Demangle/Demangle.h>

#include "point/call_marks.h"
#include "point/inputs.h"
#include "point/marks.h"
#include "point/prepare.h"
#include "point/purity.h"
#include "point/readable_name.h"
#include "point/shape.h"

namespace sartor::point {

using namespace llvm;

namespace {

Point to_point(const Mark &mark) {
  Point point{mark.label, mark.kind, mark.type};
  for (const Constant *choice : mark.choices)
    point.choices.push_back(to_value(*choice, mark.type));
  return point;
}

Point to_point(const CallMark &mark) {
  Point point{mark.label, mark.kind, mark.type};
  point.function = readable_name(mark.function);
  point.arguments = mark.arguments;
  point.custom_kind = mark.custom_kind;
  point.is_versioned = mark.version_bytes != 0;
  return point;
}

// Plugin-made suffixes are nobody's business.
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

// Empty if the two agree.
std::string differences(const Point &a, const Point &b) {
  if (a.kind != b.kind || a.custom_kind != b.custom_kind || a.is_versioned != b.is_versioned)
    return "kind";
  if (a.type != b.type || a.arguments != b.arguments)
    return "type";
  if (a.function != b.function)
    return "function";
  return a.choices == b.choices ? "" : "choices";
}

/// What is found of the points of a module, label by label.
class Points {
public:
  Result<void> add(Point found, Site site, Function &function) {
    Point &point = points.try_emplace(found.label, found).first->second;
    if (const std::string problem = differences(point, found); !problem.empty())
      return std::unexpected(Failure{ErrorCode::conflicting_label, found.label,
                                     "the points at " + place_of(point) + " and " + site.file +
                                         ":" + std::to_string(site.line) + " differ in their " +
                                         problem,
                                     "give one of them another label, or the same choices"});
    point.reads_memory |= found.reads_memory;
    if (std::ranges::find(point.sites, site) == point.sites.end())
      point.sites.push_back(std::move(site));
    labels[&function].push_back(found.label);
    return {};
  }

  std::map<std::string, Point> points;
  std::map<Function *, std::vector<std::string>> labels;
};

Result<void> add_call_point(Points &points, Function &wrapper) {
  const CallMark mark = read_call_mark(wrapper);
  Point point = to_point(mark);
  Site site{"", mark.file, mark.line, ""};
  for (const User *user : wrapper.users())
    if (const auto *call = dyn_cast<CallBase>(user))
      site.function = readable(*call->getFunction());
  if (point.kind == PointKind::fast_path) {
    const Purity purity = purity_of(*wrapped_call(wrapper).getCalledFunction());
    site.problem = purity.side_effect.empty()
                       ? inputs_problem(wrapper, mark)
                       : readable_name(mark.function) + "() " + purity.side_effect;
    point.reads_memory = purity.reads_memory;
  }
  return points.add(std::move(point), std::move(site), wrapper);
}

} // namespace

Result<Space> find_points(Module &module) {
  Points found;
  for (Function &function : module) {
    if (is_call_point(function)) {
      if (auto added = add_call_point(found, function); !added)
        return std::unexpected(std::move(added.error()));
      continue;
    }
    for (CallInst *call : points_of(function)) {
      auto mark = read_mark(*call);
      if (!mark)
        return std::unexpected(std::move(mark.error()));
      if (auto added = found.add(to_point(*mark), site_of(*mark, function), function); !added)
        return std::unexpected(std::move(added.error()));
    }
  }
  for (Function &function : module) {
    if (!is_handler(function))
      continue;
    for (Function *reached : reachable_functions(function))
      for (const std::string &label : found.labels[reached])
        found.points.at(label).handlers.push_back(handler_name(function));
  }
  std::vector<Point> all;
  for (auto &[label, point] : found.points) {
    std::ranges::sort(point.handlers);
    const auto repeated = std::ranges::unique(point.handlers);
    point.handlers.erase(repeated.begin(), repeated.end());
    all.push_back(std::move(point));
  }
  return Space(std::move(all));
}

} // namespace sartor::point
