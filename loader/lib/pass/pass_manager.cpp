// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/pass/pass_manager.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

#include "loader/lib/settings/pass_name.h"

namespace sartor::loader {

namespace {

Failure failure(const sartor_pass &pass, std::string what, std::string remedy) {
  return {ErrorCode::bad_pass, pass.name, std::move(what), std::move(remedy)};
}

/// Runs a pass; returns its error text if it fails.
std::optional<std::string> error_of(PassTarget &target, const sartor_pass &pass) {
  try {
    if (const char *why = pass.run(target.image(), &target.operations()))
      return why;
    return std::nullopt;
  } catch (const std::exception &exception) {
    return std::string("has thrown ") + exception.what();
  } catch (...) {
    return "has thrown an exception";
  }
}

/// Returns the first pass that this one needs and that has failed.
std::optional<std::string> missing_need(const sartor_pass &pass,
                                        const std::vector<PassOutcome> &outcomes) {
  for (const std::string_view name : names_of(pass.needs))
    if (const auto found = std::ranges::find(outcomes, name, &PassOutcome::name);
        found != outcomes.end() && found->failure)
      return found->name;
  return std::nullopt;
}

} // namespace

Result<std::vector<PassOutcome>>
run_passes(PassTarget &target, std::span<const sartor_pass *const> passes, bool strict) {
  std::vector<PassOutcome> outcomes;
  for (const sartor_pass *pass : passes) {
    PassOutcome outcome{.name = pass->name, .failure = {}};
    if (const auto needed = missing_need(*pass, outcomes)) {
      outcome.failure = failure(*pass, "has not run, since it needs " + *needed + ", which failed",
                                "see why " + *needed + " failed");
    } else {
      target.begin(outcome.name);
      auto error = error_of(target, *pass);
      if (auto why = target.refusal())
        return std::unexpected(
            failure(*pass, std::move(*why), "the program must not be started as it is"));
      if (error) {
        target.undo();
        outcome.failure =
            failure(*pass, std::move(*error), "leave the pass out if it cannot be helped");
      }
    }
    if ((strict || pass->judges != 0) && outcome.failure)
      return std::unexpected(std::move(*outcome.failure));
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

} // namespace sartor::loader
