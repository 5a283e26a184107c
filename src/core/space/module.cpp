// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/module.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "core/space/handler_name.h"
#include "core/space/nearest.h"
#include "core/space/place.h"

namespace sartor::core {

namespace {

constexpr const char *kReason =
    "the handler is compiled with -ffast-math or the like, and floats are to be exact";

std::string nearest_handlers(const std::vector<HandlerModule::Handler> &handlers,
                             std::string_view wanted) {
  std::vector<std::string> names;
  for (const auto &handler : handlers)
    names.push_back(handler.readable_name());
  return nearest_names(wanted, names);
}

std::string text_of(const std::vector<Failure> &left_out) {
  std::string text;
  for (const Failure &failure : left_out)
    text += "; a handler file was left out: " + failure.text();
  return text;
}

// Never freed: variants are reclaimed later, and users of an address are not tracked.
void *memory_for_ever(const HandlerModule::Constant &constant) {
  static std::mutex mutex;
  static auto &blocks = *new std::vector<void *>;
  const std::size_t step = std::max<std::size_t>(constant.alignment, sizeof(void *));
  void *block = std::aligned_alloc(step, (constant.bytes.size() + step - 1) / step * step);
  if (!block)
    throw std::bad_alloc();
  std::ranges::copy(constant.bytes, static_cast<char *>(block));
  const std::lock_guard lock(mutex);
  blocks.push_back(block);
  return block;
}

} // namespace

std::string HandlerModule::Handler::readable_name() const { return readable_handler_name(name); }

std::string HandlerModule::Handler::symbol() const {
  return native_name.ends_with(kNativeSuffix)
             ? native_name.substr(0, native_name.size() - std::strlen(kNativeSuffix))
             : native_name;
}

sartor_direct *HandlerModule::direct(const Handler &handler) const {
  const auto found = symbols.find(handler.symbol() + kDirectSuffix);
  return found == symbols.end() ? nullptr : static_cast<sartor_direct *>(found->second);
}

void HandlerModule::resolve(std::span<const sartor_module> tables) {
  for (const Constant &constant : constants)
    symbols.emplace(constant.name, memory_for_ever(constant));
  if (!tables.empty())
    source.clear();
  for (const sartor_module &table : tables) {
    source += (source.empty() ? "" : ", ") + std::string(table.source);
    for (const sartor_symbol &symbol : std::span(table.symbols, table.symbol_count))
      if (symbol.address || std::ranges::binary_search(may_be_missing, symbol.name))
        symbols.emplace(symbol.name, symbol.address);
    foldables.insert(foldables.end(), table.foldables, table.foldables + table.foldable_count);
  }
}

std::optional<std::uintptr_t> HandlerModule::address_of(std::string_view place) const {
  const Place parts = to_place(place);
  const auto symbol = symbols.find(parts.symbol);
  if (symbol == symbols.end())
    return std::nullopt;
  return reinterpret_cast<std::uintptr_t>(symbol->second) +
         static_cast<std::uintptr_t>(parts.offset);
}

Result<const HandlerModule::Handler *> HandlerModule::find(std::string_view name) const {
  const Handler *found = nullptr;
  for (const Handler &handler : handlers) {
    if (handler.name == name)
      return &handler;
    if (handler.readable_name() != name)
      continue;
    if (found)
      return std::unexpected(Failure{ErrorCode::unknown_handler, std::string(name),
                                     "several handlers have this name",
                                     "give the mangled name of one of them"});
    found = &handler;
  }
  if (found)
    return found;
  return std::unexpected(Failure{ErrorCode::unknown_handler, std::string(name),
                                 "is not a handler of this module" + text_of(left_out),
                                 handlers.empty() ? "mark a function with SARTOR_HANDLER"
                                                  : nearest_handlers(handlers, name)});
}

Result<const HandlerModule::Handler *> HandlerModule::find(const void *function) const {
  for (const Handler &handler : handlers)
    if (auto symbol = symbols.find(handler.symbol());
        symbol != symbols.end() && symbol->second == function)
      return &handler;
  return std::unexpected(
      Failure{ErrorCode::unknown_handler, "a function given by address",
              "is not a handler of this module" + text_of(left_out),
              "mark it with SARTOR_HANDLER and give its file to sartor_add_handler(); " +
                  nearest_handlers(handlers, "")});
}

void keep_floats_exact(HandlerModule &module) {
  for (HandlerModule::Handler &handler : module.handlers)
    if (handler.has_loose_floats && handler.native_only.empty())
      handler.native_only = kReason;
  const auto is_native = [&](const std::string &name) {
    return std::ranges::any_of(module.handlers, [&](const HandlerModule::Handler &handler) {
      return handler.name == name && !handler.native_only.empty();
    });
  };
  std::vector<Point> points = module.space.points();
  for (Point &point : points)
    if (std::erase_if(point.handlers, is_native) != 0 && point.handlers.empty())
      for (Site &site : point.sites)
        if (site.problem.empty())
          site.problem = kReason;
  module.space = Space(std::move(points));
}

std::string replaced_in(std::span<const sartor_module> tables) {
  std::string names;
  for (const sartor_module &table : tables)
    for (const sartor_symbol &symbol : std::span(table.symbols, table.symbol_count))
      if (symbol.own && symbol.own != symbol.address)
        names += std::string(symbol.name) + "\n";
  return names;
}

} // namespace sartor::core
