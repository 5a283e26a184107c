// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/explain_all.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/json.h"
#include "core/space/fit.h"
#include "tools/cli/map_dump.h"

namespace sartor::cli {

namespace {

bool is_known(const std::vector<Handlers> &all, const std::string &label) {
  return std::ranges::any_of(all,
                             [&](const Handlers &each) { return each.module.space.find(label); });
}

/// Without labels that others of the file's handlers have.
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

/// Promises can be made of one object's maps alone.
Result<KernelMaps> promised(const std::vector<Handlers> &all, const ExplainWish &wish,
                            const Handlers &of) {
  if (wish.maps.empty() || (of.kernel_object.empty() && all.size() > 1))
    return KernelMaps();
  return read_map_dumps(wish.maps, of.compiler->make_inspector(of.module)->kernel_maps());
}

class Telling {
public:
  Telling(const std::vector<Handlers> &all, const ExplainWish &wish) : all_(all), wish_(wish) {}

  Result<void> tell(const Handlers &from) {
    const auto handlers = meant(from, wish_);
    if (handlers.empty())
      return {};
    auto configuration = fit(own_part(wish_.configuration, all_, from), from.module.space);
    if (!configuration)
      return std::unexpected(std::move(configuration.error()));
    const auto maps = promised(all_, wish_, from);
    if (!maps)
      return std::unexpected(maps.error());
    Assumed assumed{std::move(*configuration), nullptr, wish_.label};
    if (!maps->empty())
      assumed.maps = std::make_shared<core::KernelMemory>(*maps);
    const KernelWord word = from.kernel_object.empty()
                                ? KernelWord()
                                : ask_kernel(from.kernel_object, assumed.configuration, *maps);
    for (const auto &handler : handlers) {
      const auto story = explain(from, handler, assumed, word, wish_.show);
      if (!story)
        return std::unexpected(story.error());
      stories_.push_back(json_of(*story, wish_.show));
      told_.text += (told_.text.empty() ? "" : "\n") + text_of(*story, wish_.show);
      if (story->refused)
        told_.refused = story->refused;
    }
    return {};
  }
  Explained told() && {
    told_.json = dump({{"handlers", std::move(stories_)}});
    return std::move(told_);
  }

private:
  const std::vector<Handlers> &all_;
  const ExplainWish &wish_;
  nlohmann::ordered_json stories_ = nlohmann::ordered_json::array();
  Explained told_;
};

} // namespace

Result<Explained> explain_all(const std::vector<Handlers> &all, const ExplainWish &wish) {
  if (!wish.label.empty() && !is_known(all, wish.label))
    return std::unexpected(unknown_label(wish.label, all.front().module.space));
  if (std::ranges::all_of(all, [&](const Handlers &each) { return meant(each, wish).empty(); })) {
    const auto handler = all.front().module.find(wish.handler);
    return std::unexpected(handler
                               ? Failure{ErrorCode::unknown_label, wish.label,
                                         "is not reached by " + wish.handler, "leave out --handler"}
                               : handler.error());
  }
  Telling telling(all, wish);
  for (const Handlers &each : all)
    if (auto told = telling.tell(each); !told)
      return std::unexpected(std::move(told.error()));
  return std::move(telling).told();
}

} // namespace sartor::cli
