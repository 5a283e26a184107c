// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/automatic/kept_decisions.h"

#include <ctime>
#include <string_view>
#include <utility>

#include "base/text/json.h"
#include "core/cache/request_key.h"
#include "core/space/handler_name.h"
#include "tuner/automatic/automatic_limits.h"
#include "tuner/automatic/quasi_constants.h"

namespace sartor {

namespace {

using Json = nlohmann::ordered_json;

/// Increment this when decisions are made in another way, or their format changes.
constexpr std::string_view kDecision = "automatic decision 1";

/// Nothing if the text has not the format of keep().
std::optional<KeptDecision> decision_of(std::string_view text) {
  const auto json = parse_json(text);
  if (!json || !json->is_object() || !json->contains("tried") || !json->contains("best") ||
      !json->contains("made") || !(*json)["made"].is_number_integer() ||
      (*json)["made"].get<std::int64_t>() < 0)
    return std::nullopt;
  try {
    return KeptDecision{Configuration::from_json(dump((*json)["tried"])),
                        Configuration::from_json(dump((*json)["best"])),
                        (*json)["made"].get<std::int64_t>()};
  } catch (const Error &) {
    return std::nullopt;
  }
}

} // namespace

bool KeptDecision::is_fresh(std::int64_t now) const {
  return made <= now && made > now - automatic_limits::fresh_for.count();
}

std::optional<base::ContentKey> KeptDecisions::key_of(const std::string &handler) const {
  const std::string &builds = core::made_here().builds;
  if (!cache_ || content_.empty() || builds.empty())
    return std::nullopt;
  return base::hash_of({kDecision, builds, content_, handler});
}

Result<std::optional<KeptDecision>> KeptDecisions::find(const std::string &handler,
                                                        const Space &space) const {
  const auto key = key_of(handler);
  const auto text = key ? cache_->find(*key) : std::nullopt;
  if (!text)
    return std::nullopt;
  auto decision = text->size() <= automatic_limits::longest_kept ? decision_of(*text)
                                                                 : std::optional<KeptDecision>();
  if (!decision || !are_candidates_settings(decision->tried, handler, space) ||
      !are_candidates_settings(decision->best, handler, space))
    return std::unexpected(Failure{ErrorCode::bad_json, handler,
                                   "has a kept decision that does not fit it",
                                   "let the program run: the decision is removed, and made again"});
  return decision;
}

void KeptDecisions::keep(const std::string &handler, const KeptDecision &decision) const {
  const auto key = key_of(handler);
  if (!key)
    return;
  const std::string text = dump({{"tried", Json::parse(decision.tried.json())},
                                 {"best", Json::parse(decision.best.json())},
                                 {"made", decision.made}});
  if (text.size() > automatic_limits::longest_kept)
    return drop(handler); // an earlier one is outdated
  core::StoredInfo info;
  info.variant = "(decision) " + core::readable_handler_name(handler) + decision.best.text();
  info.handler = handler;
  info.tier = core::kDecisionTier;
  info.made = std::time(nullptr);
  cache_->insert(*key, info, text);
}

void KeptDecisions::drop(const std::string &handler) const {
  if (const auto key = key_of(handler))
    cache_->erase(*key);
}

} // namespace sartor
