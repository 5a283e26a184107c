// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/explain/explain_all.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/text/json.h"
#include "core/space/fit.h"
#include "tools/cli/map_dump.h"

namespace sartor::cli {

namespace {

bool is_known(const std::vector<Handlers> &all, const std::string &label) {
  return std::ranges::any_of(all,
                             [&](const Handlers &each) { return each.module.space.find(label); });
}

/// Returns a configuration without labels that only other handlers of the file have.
Configuration own_part(const Configuration &of, const std::vector<Handlers> &all,
                       const Handlers &own) {
  Configuration part;
  for (const auto &[label, setting] : of)
    if (own.module.space.find(label) || !is_known(all, label))
      part.set(label, setting);
  return part;
}

std::vector<core::HandlerModule::Handler> meant(const Handlers &from, const ExplainWish &wish) {
  std::vector<core::HandlerModule::Handler> found = from.module.handlers;
  if (!wish.handler.empty()) {
    const auto named = from.module.find(wish.handler);
    found = named ? std::vector{**named} : std::vector<core::HandlerModule::Handler>();
  }
  if (!wish.label.empty()) {
    const Point *point = from.module.space.find(wish.label);
    std::erase_if(found, [&](const auto &handler) {
      return !point || std::ranges::count(point->handlers, handler.name) == 0;
    });
  }
  return found;
}

/// Invariant maps can be those of one object only.
Result<KernelMaps> invariant_maps(const std::vector<Handlers> &all, const ExplainWish &wish,
                                  const Handlers &of) {
  if (wish.maps.empty() || (of.kernel_object.empty() && all.size() > 1))
    return KernelMaps();
  return read_map_dumps(wish.maps, of.compiler->make_inspector(of.module)->kernel_maps());
}

/// The error if no module has what is meant; remedies name what any module has.
Failure none_is_meant(const std::vector<Handlers> &all, const ExplainWish &wish) {
  if (!wish.label.empty() && !is_known(all, wish.label)) {
    std::vector<Point> points;
    for (const Handlers &each : all)
      std::ranges::copy(each.module.space.points(), std::back_inserter(points));
    return unknown_label(wish.label, Space(std::move(points)));
  }
  core::HandlerModule together;
  for (const Handlers &each : all) {
    if (each.module.find(wish.handler))
      return {ErrorCode::unknown_label, wish.label, "is not reached by " + wish.handler,
              "leave out --handler"};
    std::ranges::copy(each.module.handlers, std::back_inserter(together.handlers));
    std::ranges::copy(each.module.left_out, std::back_inserter(together.left_out));
  }
  return together.find(wish.handler).error(); // which none of them has
}

class Reporter {
public:
  Reporter(const std::vector<Handlers> &all, const ExplainWish &wish) : all_(all), wish_(wish) {}

  Result<void> report(const Handlers &from) {
    const auto handlers = meant(from, wish_);
    if (handlers.empty())
      return {};
    auto configuration = fit(own_part(wish_.configuration, all_, from), from.module.space);
    if (!configuration)
      return std::unexpected(std::move(configuration.error()));
    const auto maps = invariant_maps(all_, wish_, from);
    if (!maps)
      return std::unexpected(maps.error());
    Assumed assumed{std::move(*configuration), nullptr, wish_.label};
    if (!maps->empty())
      assumed.maps = std::make_shared<core::KernelMemory>(*maps);
    const KernelWord word = from.kernel_object.empty()
                                ? KernelWord()
                                : ask_kernel(from.kernel_object, assumed.configuration, *maps);
    for (const auto &handler : handlers) {
      const auto report = explain(from, handler, assumed, word, wish_.show);
      if (!report)
        return std::unexpected(report.error());
      reports_.push_back(json_of(*report, wish_.show));
      reported_.text += (reported_.text.empty() ? "" : "\n") + text_of(*report, wish_.show);
      if (report->refused)
        reported_.refused = report->refused;
    }
    return {};
  }
  Explained reported() && {
    reported_.json = dump({{"handlers", std::move(reports_)}});
    return std::move(reported_);
  }

private:
  const std::vector<Handlers> &all_;
  const ExplainWish &wish_;
  nlohmann::ordered_json reports_ = nlohmann::ordered_json::array();
  Explained reported_;
};

} // namespace

Result<Explained> explain_all(const std::vector<Handlers> &all, const ExplainWish &wish) {
  if (std::ranges::all_of(all, [&](const Handlers &each) { return meant(each, wish).empty(); }))
    return std::unexpected(none_is_meant(all, wish));
  Reporter reporter(all, wish);
  for (const Handlers &each : all)
    if (auto reported = reporter.report(each); !reported)
      return std::unexpected(std::move(reported.error()));
  return std::move(reporter).reported();
}

} // namespace sartor::cli
