// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/folded_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostNamed = 4;

template <class T> void add(Json &json, const char *name, const T &value) {
  if (value != T())
    json[name] = value;
}

Json to_json(const FoldedPromise &promise) {
  Json json{{"promise", promise.promise}};
  add(json, "fact", promise.fact);
  add(json, "loads", promise.loads);
  json["leant_on"] = promise.leant_on;
  return json;
}

Json to_json(const FoldedLoop &loop) {
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

Json to_json(const Folded &folded) {
  Json json = Json::object();
  for (const FoldedPromise &promise : folded.promises)
    json["promises"].push_back(to_json(promise));
  for (const FoldedLoop &loop : folded.loops)
    json["loops"].push_back(to_json(loop));
  json["followed"] = to_string(folded.followed);
  add(json, "indirect_jumps", folded.indirect_jumps);
  add(json, "indirect_calls", folded.indirect_calls);
  return json;
}

std::string name_of(const FoldedPromise &promise) {
  return promise.fact.empty() ? "promise " + std::to_string(promise.promise)
                              : "the fact \"" + promise.fact + '"';
}

Json to_json(const std::vector<Remark> &remarks) {
  Json json = Json::array();
  for (const Remark &remark : remarks)
    json.push_back({{"code", to_string(remark.code)}, {"message", remark.message}});
  return json;
}

std::vector<Remark> remarks_of(const Folded &folded) {
  std::vector<Remark> remarks;
  std::size_t more = 0;
  for (const FoldedPromise &promise : folded.promises) {
    if (promise.leant_on)
      continue;
    if (remarks.size() < kMostNamed)
      remarks.push_back(
          {RemarkCode::promise_unused,
           name_of(promise) +
               " is within reach, and nothing of its memory became part of the code"});
    else
      ++more;
  }
  if (more > 0)
    remarks.push_back(
        {RemarkCode::promise_unused, "so it is with " + std::to_string(more) + " more promises"});
  return remarks;
}

} // namespace sartor
