// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/fit_request.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "base/thread/per_thread.h"
#include "core/compiler/device_protocol.h"
#include "core/profile/layout.h"
#include "core/space/fit.h"

namespace sartor::remote {

namespace {

constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kLongestSymbol = 64U << 10; ///< It contains settings.
constexpr std::size_t kLongestPipeline = 64U << 10;
constexpr std::size_t kMostPlugins = 64;
constexpr std::size_t kMostLevels = 16;
constexpr std::size_t kMostAnswers = 65'536;
constexpr std::size_t kMostGenerated = 64U << 20;
/// The limit for the distance of memory from the thread pointer, in both directions.
constexpr std::int64_t kFarthestTable = std::int64_t{1} << 40;
constexpr std::uint64_t kLargestRegion = 1ULL << 30; ///< For a device.

std::unexpected<Failure> misfit(std::string field, std::string why) {
  return std::unexpected(Failure{ErrorCode::server_refused, std::move(field), std::move(why),
                                 "use the same build of Sartor on both sides"});
}

bool is_harmless(std::string_view text, std::size_t longest) {
  return text.size() <= longest &&
         std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// LLVM gives some names a meaning, and assemblers take a dot as the beginning of a directive: only
// string literals that are choices of the point have such names.
bool may_be_named(std::string_view name, const Point *point) {
  return !name.empty() && is_harmless(name, kLongestName) && !name.starts_with("llvm.") &&
         !name.starts_with("sartor.") &&
         (!name.starts_with('.') ||
          (point &&
           std::ranges::find(point->choices, Value(std::string(name))) != point->choices.end()));
}

// The text is shown by profilers and debuggers; labels in it may have any characters.
std::string without_controls(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

Result<const core::HandlerModule::Handler *> find(const std::string &name,
                                                  const core::HandlerModule &module) {
  const auto found = std::ranges::find(module.handlers, name, &core::HandlerModule::Handler::name);
  if (found != module.handlers.end())
    return &*found;
  return std::unexpected(Failure{ErrorCode::unknown_handler,
                                 is_harmless(name, kLongestName) ? name : "a handler",
                                 "is not a handler of this module", "see Runtime::handlers()"});
}

Result<void> check_value(const std::string &label, const Value &value, const Space &space) {
  if (value.is_symbol() && !may_be_named(value.symbol(), space.find(label)))
    return misfit(label, "is set to the address of something that is no symbol of a program");
  return {};
}

Result<BoundArguments> fit_bound(const core::HandlerModule::Handler &handler,
                                 const BoundArguments &arguments) {
  auto fitted = fit_arguments(handler, arguments);
  if (!fitted)
    return fitted;
  for (const auto &[index, argument] : *fitted)
    if (!argument.is_object() && argument.value().is_symbol())
      return misfit("argument " + std::to_string(index), "is bound to a name, not to an address");
  return fitted;
}

// A hole stands for any value of its point's type, so the value in the order need not be one of the
// choices.
Result<void> check_hole(const std::string &label, const DraftOrder &order,
                        const core::HandlerModule &module) {
  const Point *point = module.space.find(label);
  const Setting *setting = order.configuration.find(label);
  if (!point)
    return std::unexpected(unknown_label(label, module.space));
  if (!point->is_operand || point->type.bits > 64 ||
      point->type.kind == PointType::Class::pointer || point->kind == PointKind::fast_path ||
      point->kind == PointKind::custom)
    return misfit("hole " + label, "is of a point whose value is no operand");
  if (!setting || setting->values.size() != 1 || setting->values.front().is_symbol())
    return misfit("hole " + label, "is of a point that is not set to one number");
  return {};
}

Result<void> fit_configuration(DraftOrder &order, const core::HandlerModule &module) {
  const std::set<std::string> holes(order.holes.begin(), order.holes.end());
  if (holes.size() != order.holes.size())
    return misfit("the holes", "name a point twice");
  for (const std::string &label : holes)
    if (auto checked = check_hole(label, order, module); !checked)
      return checked;
  Configuration plain;
  for (const auto &[label, setting] : order.configuration) {
    if (holes.contains(label))
      continue;
    for (const Value &value : setting.values)
      if (auto checked = check_value(label, value, module.space); !checked)
        return checked;
    plain.set(label, setting);
  }
  auto fitted = fit(plain, module.space);
  if (!fitted)
    return std::unexpected(std::move(fitted.error()));
  for (const std::string &label : holes)
    fitted->set(label, *order.configuration.find(label));
  order.configuration = std::move(*fitted);
  return {};
}

bool fits(std::uint64_t bits, const PointType &type) {
  return type.bits >= 64 || bits >> type.bits == 0;
}

Result<void> check_answers(const std::string &label, const core::Answers &answers,
                           const Space &space, std::uint64_t invariants) {
  const Point *point = space.find(label);
  if (!point)
    return std::unexpected(unknown_label(label, space));
  const std::string field = "answers of " + label;
  if (point->kind != PointKind::fast_path)
    return misfit(field, "are of a point that is no fast path");
  if (answers.list.size() > kMostAnswers)
    return misfit(field, "are more than " + std::to_string(kMostAnswers));
  const auto has_misfit = [&](const core::Answer &answer) {
    if (answer.inputs.empty() || answer.inputs.size() != point->arguments.size() ||
        !fits(answer.result, point->type))
      return true;
    for (std::size_t i = 0; i < answer.inputs.size(); ++i)
      if (!fits(answer.inputs[i], point->arguments[i]))
        return true;
    return false;
  };
  if (std::ranges::any_of(answers.list, has_misfit))
    return misfit(field, "are not of the types of the function");
  if (std::ranges::any_of(answers.invariants,
                          [&](std::uint64_t each) { return each >= invariants; }))
    return misfit(field, "depend on invariants that the request does not have");
  return {};
}

Result<void> check_generated(const std::string &label, const core::Generated &code,
                             const Space &space, std::uint64_t invariants) {
  const Point *point = space.find(label);
  if (!point)
    return std::unexpected(unknown_label(label, space));
  const std::string field = "generated code of " + label;
  if (point->kind != PointKind::custom)
    return misfit(field, "is of a point that is not a custom point");
  if (code.ir.size() > kMostGenerated || !may_be_named(code.function, nullptr))
    return misfit(field, "is too large, or its function has an impossible name");
  if (std::ranges::any_of(code.invariants, [&](std::uint64_t each) { return each >= invariants; }))
    return misfit(field, "depends on invariants that the request does not have");
  return {};
}

/// Returns the maximum number of invariants' positions: one for each time that an invariant is
/// named.
std::uint64_t invariants_named(const DraftOrder &order) {
  std::uint64_t count = order.memory ? order.memory->regions.size() : 0;
  for (const auto &[label, answers] : order.answers)
    count += answers.invariants.size();
  for (const auto &[label, code] : order.generated)
    count += code.invariants.size();
  return count;
}

Result<void> check_memory(const DraftOrder::Memory &memory, std::uint64_t invariants) {
  std::uint64_t end = 0;
  for (const DraftOrder::Memory::Region &region : memory.regions) {
    if (region.invariant >= invariants)
      return misfit("invariant memory", "is of an invariant that the request does not have");
    if (region.address < end ||
        region.bytes.size() > std::numeric_limits<std::uint64_t>::max() - region.address)
      return misfit("invariant memory", "is not sorted by address, or overlaps");
    end = region.address + region.bytes.size();
  }
  end = 0;
  for (const core::Extent &object : memory.objects) {
    if (object.address < end || object.end < object.address)
      return misfit("invariant objects", "are not sorted by address, or overlap");
    end = object.end;
  }
  for (const auto &[name, address] : memory.symbols)
    if (!is_harmless(name, kLongestName))
      return misfit("a symbol", "has a name that no program gives");
  return {};
}

Result<void> check_instrumentation(const DraftOrder &order, const Space &space) {
  for (const auto &[label, every] : order.instrumented) {
    const Point *point = space.find(label);
    if (!point)
      return std::unexpected(unknown_label(label, space));
    if (every == 0 || static_cast<unsigned>(std::bit_width(every)) > core::kGaps)
      return misfit("instrumentation of " + label,
                    "is to count every " + std::to_string(every) + "th time");
  }
  if (!order.instrumented.empty() && !order.profile)
    return misfit("instrumentation", "has no counters");
  return {};
}

Result<void> check_table(std::uint32_t slot, std::int64_t table, std::size_t most) {
  if (slot >= most)
    return misfit("a table of blocks", "has no slot " + std::to_string(slot));
  if (table > kFarthestTable || table < -kFarthestTable)
    return misfit("a table of blocks", "is not near the thread pointer");
  return {};
}

} // namespace

Result<DraftOrder> fit_request(DraftOrder order, const core::HandlerModule &module) {
  const auto handler = find(order.handler, module);
  if (!handler)
    return std::unexpected(handler.error());
  if (order.symbol.empty() || order.symbol.size() > kLongestSymbol)
    return misfit("the variant's name", "is empty, or too long");
  order.symbol = without_controls(std::move(order.symbol));
  auto arguments = fit_bound(**handler, order.arguments);
  if (!arguments)
    return std::unexpected(std::move(arguments.error()));
  order.arguments = std::move(*arguments);
  const std::uint64_t invariants = invariants_named(order);
  Result<void> checked = fit_configuration(order, module);
  for (const auto &[label, answers] : order.answers)
    if (checked)
      checked = check_answers(label, answers, module.space, invariants);
  for (const auto &[label, code] : order.generated)
    if (checked)
      checked = check_generated(label, code, module.space, invariants);
  if (checked)
    checked = check_instrumentation(order, module.space);
  if (checked && order.profile)
    checked = check_table(order.profile->slot, order.profile->table, base::kMostPerThread);
  if (checked && order.memory)
    checked = check_memory(*order.memory, invariants);
  if (checked)
    checked = check_request(order.purpose.pipeline);
  if (!checked)
    return std::unexpected(std::move(checked.error()));
  return order;
}

Result<EntryOrder> fit_request(EntryOrder order, const core::HandlerModule &module) {
  const auto handler = find(order.handler, module);
  if (!handler)
    return std::unexpected(handler.error());
  if (order.arguments.empty())
    return order;
  auto fitted = fit_bound(**handler, order.arguments);
  if (!fitted)
    return std::unexpected(std::move(fitted.error()));
  if (auto alike = check_rest_is_passed_alike(**handler, *fitted); !alike)
    return std::unexpected(std::move(alike.error()));
  order.arguments = std::move(*fitted);
  return order;
}

Result<RotationOrder> fit_request(RotationOrder order, const core::HandlerModule &module) {
  if (const auto handler = find(order.handler, module); !handler)
    return std::unexpected(handler.error());
  if (auto checked = check_table(order.slot, order.table, base::kMostPerThread); !checked)
    return std::unexpected(std::move(checked.error()));
  for (const std::uint64_t address : {order.plan, order.rotation, order.enter, order.next})
    if (address == 0)
      return misfit("a rotation", "has a null pointer in it");
  return order;
}

Result<StubOrder> fit_request(StubOrder order, const core::HandlerModule &module) {
  if (const auto handler = find(order.handler, module); !handler)
    return std::unexpected(handler.error());
  return order;
}

Result<FittedCustomization> fit_request(const Customization &wanted,
                                        const core::HandlerModule &module) {
  const auto handler = module.find(wanted.handler);
  if (!handler)
    return std::unexpected(handler.error());
  FittedCustomization fitted;
  fitted.handler = (*handler)->name;
  Configuration configuration;
  for (const Customization::Setting &setting : wanted.settings) {
    if (auto checked = check_value(setting.label, setting.value, module.space); !checked)
      return std::unexpected(std::move(checked.error()));
    configuration.set(setting.label, Setting({setting.value}, setting.guarded));
  }
  auto settings = fit(configuration, module.space);
  if (!settings)
    return std::unexpected(std::move(settings.error()));
  fitted.configuration = std::move(*settings);
  BoundArguments arguments;
  for (const auto &[index, value] : wanted.arguments)
    arguments.emplace(index, value);
  auto bound = fit_bound(**handler, arguments);
  if (!bound)
    return std::unexpected(std::move(bound.error()));
  fitted.arguments = std::move(*bound);
  fitted.regions = wanted.regions;
  std::ranges::sort(fitted.regions, {}, &Customization::Region::address);
  if (fitted.regions.size() > SARTOR_DEVICE_MOST_RANGES)
    return misfit("invariant memory",
                  "has more than " + std::to_string(SARTOR_DEVICE_MOST_RANGES) + " ranges");
  std::uint64_t end = 0;
  for (const Customization::Region &region : fitted.regions) {
    if (region.invariant >= SARTOR_DEVICE_MOST_RANGES)
      return misfit("invariant memory", "is of an invariant that no device has");
    const std::uint64_t size = region.bytes.empty() ? region.size : region.bytes.size();
    if (region.address < end || size > kLargestRegion ||
        size > std::numeric_limits<std::uint64_t>::max() - region.address)
      return misfit("invariant memory", "overlaps, or is too large");
    end = region.address + size;
  }
  for (const auto &[name, address] : wanted.symbols)
    if (!is_harmless(name, kLongestName))
      return misfit("a symbol", "has a name that no program gives");
  return fitted;
}

Result<void> check_request(const Pipeline &pipeline) {
  if (pipeline.passes.size() > kLongestPipeline)
    return std::unexpected(Failure{ErrorCode::bad_pipeline, "the pipeline",
                                   "has " + std::to_string(pipeline.passes.size()) + " bytes, of " +
                                       std::to_string(kLongestPipeline) + " at most",
                                   "name fewer passes"});
  const auto is_bad = [](const std::filesystem::path &plugin) {
    return !is_harmless(plugin.native(), kLongestName);
  };
  if (pipeline.plugins.size() > kMostPlugins || std::ranges::any_of(pipeline.plugins, is_bad))
    return misfit("the pipeline", "has too many plugins, or plugins of impossible names");
  return {};
}

Result<void> check_request(const ModuleFile &file) {
  if (!is_harmless(file.name, kLongestName))
    return misfit("a module file", "has an impossible name");
  return {};
}

Result<void> check_request(const Hello &hello) {
  const auto is_bad = [](const std::string &level) { return !is_harmless(level, kLongestName); };
  if (hello.levels.size() > kMostLevels || std::ranges::any_of(hello.levels, is_bad) ||
      !is_harmless(hello.processor, kLongestName) || !is_harmless(hello.build, kLongestName))
    return misfit("a greeting", "names too many processors, or impossible ones");
  return {};
}

Result<void> check_request(const DeviceHello &hello) {
  if (!is_harmless(hello.target, kLongestName))
    return misfit("a greeting", "names an impossible target");
  return {};
}

} // namespace sartor::remote
