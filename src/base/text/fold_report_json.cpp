// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/fold_report_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostNamed = 4;

template <class T> void add(Json &json, const char *name, const T &value) {
  if (value != T())
    json[name] = value;
}

Json to_json(const InvariantReport &invariant) {
  Json json{{"invariant", invariant.invariant}};
  add(json, "quasi_invariant", invariant.quasi_invariant);
  add(json, "loads", invariant.loads);
  json["depended_on"] = invariant.depended_on;
  return json;
}

Json to_json(const LoopReport &loop) {
  Json json{{"function", loop.function}};
  add(json, "line", loop.line);
  add(json, "copies", loop.copies);
  add(json, "why_not", loop.why_not);
  return json;
}

} // namespace

std::string_view to_string(Followed followed) {
  switch (followed) {
  case Followed::whole:
    return "whole";
  case Followed::in_part:
    return "in_part";
  case Followed::no:
    return "no";
  }
  return "";
}

Json to_json(const FoldReport &fold_report) {
  Json json = Json::object();
  for (const InvariantReport &invariant : fold_report.invariants)
    json["invariants"].push_back(to_json(invariant));
  for (const LoopReport &loop : fold_report.loops)
    json["loops"].push_back(to_json(loop));
  json["followed"] = to_string(fold_report.followed);
  add(json, "indirect_jumps", fold_report.indirect_jumps);
  add(json, "indirect_calls", fold_report.indirect_calls);
  return json;
}

std::string name_of(const InvariantReport &invariant) {
  return invariant.quasi_invariant.empty() ? "invariant " + std::to_string(invariant.invariant)
                                           : "quasi-invariant \"" + invariant.quasi_invariant + '"';
}

Json to_json(const std::vector<Remark> &remarks) {
  Json json = Json::array();
  for (const Remark &remark : remarks)
    json.push_back({{"code", to_string(remark.code)}, {"message", remark.message}});
  return json;
}

std::vector<Remark> remarks_of(const FoldReport &fold_report) {
  std::vector<Remark> remarks;
  std::size_t more = 0;
  for (const InvariantReport &invariant : fold_report.invariants) {
    if (invariant.depended_on)
      continue;
    if (remarks.size() < kMostNamed)
      remarks.push_back(
          {RemarkCode::invariant_unused,
           name_of(invariant) +
               " is within reach, and nothing of its memory became part of the code"});
    else
      ++more;
  }
  if (more > 0)
    remarks.push_back(
        {RemarkCode::invariant_unused, std::to_string(more) + " more invariants are unused"});
  return remarks;
}

} // namespace sartor
