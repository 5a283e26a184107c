// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/explain.h"

#include <algorithm>
#include <array>

#include "cli/space.h"
#include "jit/find_compiler.h"

namespace sartor::cli {

namespace {

using jit::CodeCounts;
using jit::Inspection;
using jit::Place;
using jit::Remark;

/// What a pass tells of under some name; an empty name stands for all that it does.
struct Work {
  std::string_view pass;
  std::string_view name;
  const char *one;
  const char *many;
};

constexpr std::array kWork{
    Work{"loop-unroll", "FullyUnrolled", "loop unrolled completely", "loops unrolled completely"},
    Work{"loop-unroll", "PartialUnrolled", "loop unrolled in part", "loops unrolled in part"},
    Work{"loop-unroll", "Peeled", "loop peeled", "loops peeled"},
    Work{"loop-vectorize", "Vectorized", "loop vectorized", "loops vectorized"},
    Work{"loop-vectorize", "Interleaved", "loop interleaved", "loops interleaved"},
    Work{"slp-vectorizer", "", "group of scalars vectorized", "groups of scalars vectorized"},
    Work{"loop-delete", "", "loop deleted", "loops deleted"},
    Work{"loop-idiom", "", "loop made a memory operation", "loops made memory operations"},
    Work{"inline", "Inlined", "call inlined", "calls inlined"},
    Work{"gvn", "LoadElim", "load eliminated", "loads eliminated"},
};

struct Count {
  int CodeCounts::*member;
  const char *one;
  const char *many;
};

constexpr std::array kCounts{
    Count{&CodeCounts::branches, "branch", "branches"},
    Count{&CodeCounts::loads, "load", "loads"},
    Count{&CodeCounts::stores, "store", "stores"},
    Count{&CodeCounts::calls, "call", "calls"},
    Count{&CodeCounts::loops, "loop", "loops"},
    Count{&CodeCounts::vector_instructions, "vector instruction", "vector instructions"},
    Count{&CodeCounts::instructions, "instruction", "instructions"},
};

// The passes whose refusals concern the speed of a loop or a call.
constexpr std::array<std::string_view, 4> kTelling{"loop-vectorize", "loop-unroll", "inline",
                                                   "gvn"};

int times(const Inspection &inspection, const Work &work) {
  return static_cast<int>(std::ranges::count_if(inspection.remarks, [&](const Remark &remark) {
    return remark.done && remark.pass == work.pass &&
           (work.name.empty() || remark.name == work.name);
  }));
}

std::vector<Difference> compare(const Inspection &before, const Inspection &after) {
  std::vector<Difference> all;
  for (const Work &work : kWork)
    all.push_back({Measure::work, work.one, work.many, times(before, work), times(after, work)});
  for (const Count &count : kCounts)
    all.push_back({Measure::simplified, count.one, count.many, before.simplified.*count.member,
                   after.simplified.*count.member});
  for (const Count &count : kCounts)
    all.push_back({Measure::optimized, count.one, count.many, before.optimized.*count.member,
                   after.optimized.*count.member});
  return all;
}

std::vector<Missed> missed(const Inspection &inspection) {
  std::vector<Missed> all;
  for (const Remark &remark : inspection.remarks) {
    if (remark.done || std::ranges::find(kTelling, remark.pass) == kTelling.end())
      continue;
    const auto known = std::ranges::find_if(all, [&](const Missed &other) {
      return other.pass == remark.pass && other.message == remark.message;
    });
    if (known == all.end())
      all.push_back({remark.pass, remark.message, 1});
    else
      ++known->times;
  }
  return all;
}

PointStory tell(const Point &point, const Configuration &configuration,
                const std::vector<Place> &places) {
  PointStory story;
  story.label = point.label;
  story.is_template = point.is_operand;
  if (const Setting *setting = configuration.find(point.label))
    story.setting = *setting;
  bool can_be_specialized = false;
  for (const Place &place : places) {
    if (place.label != point.label)
      continue;
    story.reached = true;
    if (place.problem.empty() && place.is_used) {
      can_be_specialized = true;
      continue;
    }
    const std::string reason = place.file + ":" + std::to_string(place.line) + ": " +
                               (place.is_used ? place.problem : "its result is not used");
    if (std::ranges::find(story.reasons, reason) == story.reasons.end())
      story.reasons.push_back(reason);
  }
  story.specialized = story.setting && can_be_specialized;
  if (!story.reached)
    story.reasons.emplace_back("not reachable from this handler");
  else if (!story.setting && can_be_specialized)
    story.reasons.emplace_back("not in the configuration; can be set to " + choices_text(point));
  return story;
}

specialize::Context context_of(const point::HandlerModule::Handler &handler,
                               const Configuration &configuration) {
  specialize::Context context;
  context.handler = handler.name;
  context.configuration = configuration;
  return context;
}

} // namespace

Result<Story> explain(const point::HandlerModule &module,
                      const point::HandlerModule::Handler &handler,
                      const Configuration &configuration, Show show) {
  auto compiler = jit::inside_compiler();
  if (!compiler)
    return std::unexpected(std::move(compiler.error()));
  const auto inspector = (*compiler)->make_inspector(module);
  Story story;
  story.handler = handler.readable_name();
  story.configuration = module.space.restrict(configuration, handler.name);

  auto generic = inspector->inspect(handler.name, {});
  if (!generic)
    return std::unexpected(std::move(generic.error()));
  auto variant = inspector->inspect(handler.name, story.configuration);
  if (!variant)
    return std::unexpected(std::move(variant.error()));
  story.whole = compare(*generic, *variant);
  story.missed = missed(*variant);

  const auto places = inspector->places(handler.name);
  for (const Point &point : module.space.points()) {
    PointStory told = tell(point, configuration, places);
    if (told.specialized) {
      auto without =
          inspector->inspect(handler.name, Configuration(story.configuration).unset(point.label));
      if (!without)
        return std::unexpected(std::move(without.error()));
      told.effects = compare(*without, *variant);
    }
    story.points.push_back(std::move(told));
  }

  if (!story.configuration.empty())
    if (auto checked = inspector->check(handler.name, story.configuration); !checked)
      story.refused = std::move(checked.error());
  const auto generic_code = context_of(handler, {});
  const auto variant_code = context_of(handler, story.configuration);
  if (show.listings()) {
    auto left = inspector->list(generic_code, {});
    auto right = inspector->list(variant_code, {});
    if (!left || !right)
      return std::unexpected(std::move(left ? right.error() : left.error()));
    story.generic_listing = std::move(*left);
    story.variant_listing = std::move(*right);
  }
  if (show.sizes) {
    auto left = inspector->sizes(generic_code, {});
    auto right = inspector->sizes(variant_code, {});
    if (!left || !right)
      return std::unexpected(std::move(left ? right.error() : left.error()));
    story.generic_sizes = std::move(*left);
    story.variant_sizes = std::move(*right);
  }
  return story;
}

} // namespace sartor::cli
