// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/find.h"

#include <algorithm>
#include <map>

#include <llvm/Demangle/Demangle.h>

#include "point/marks.h"
#include "point/prepare.h"
#include "point/shape.h"

namespace sartor::point {

using namespace llvm;

namespace {

Point to_point(const Mark &mark) {
  Point point{mark.label, mark.kind, mark.type, {}, {}, {}};
  for (const Constant *choice : mark.choices)
    point.choices.push_back(to_value(*choice, mark.type));
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

std::string differences(const Point &a, const Point &b) {
  if (a.kind != b.kind)
    return "kind";
  return a.type == b.type ? "choices" : "type";
}

} // namespace

Result<Space> find_points(Module &module) {
  std::map<std::string, Point> points;
  std::map<Function *, std::vector<std::string>> labels;
  for (Function &function : module) {
    for (CallInst *call : points_of(function)) {
      auto mark = read_mark(*call);
      if (!mark)
        return std::unexpected(std::move(mark.error()));
      Point found = to_point(*mark);
      const Site site = site_of(*mark, function);
      Point &point = points.try_emplace(mark->label, found).first->second;
      if (point.kind != found.kind || point.type != found.type || point.choices != found.choices)
        return std::unexpected(Failure{ErrorCode::conflicting_label, mark->label,
                                       "the points at " + place_of(point) + " and " + site.file +
                                           ":" + std::to_string(site.line) + " differ in their " +
                                           differences(point, found),
                                       "give one of them another label, or the same choices"});
      if (std::ranges::find(point.sites, site) == point.sites.end())
        point.sites.push_back(site);
      labels[&function].push_back(mark->label);
    }
  }
  for (Function &function : module) {
    if (!is_handler(function))
      continue;
    for (Function *reached : reachable_functions(function))
      for (const std::string &label : labels[reached])
        points.at(label).handlers.push_back(handler_name(function));
  }
  std::vector<Point> all;
  for (auto &[label, point] : points) {
    std::ranges::sort(point.handlers);
    const auto repeated = std::ranges::unique(point.handlers);
    point.handlers.erase(repeated.begin(), repeated.end());
    all.push_back(std::move(point));
  }
  return Space(std::move(all));
}

} // namespace sartor::point
