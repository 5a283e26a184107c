// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry_table.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <dlfcn.h>

#include "base/text/json.h"
#include "core/space/bound_arguments.h"
#include "core/space/handler_name.h"
#include "runtime/assumptions/checked_copy.h"
#include "runtime/dispatch/retire.h"
#include "runtime/request.h"

namespace sartor {

namespace {

Failure no_such_code(std::string_view name) {
  return {ErrorCode::unknown_handler, std::string(name),
          "has no native code in this program, and Sartor is off",
          "embed the handler file with sartor_add_handler(), or unset SARTOR"};
}

std::string name_of_native(const void *function) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(function));
}

// True if a function is a stub that reads `direct`: see sartor/module.h.
bool is_read_by(const sartor_direct &direct, std::uintptr_t function) {
  std::int64_t distance = 0;
  const auto before = runtime::checked_copy(function - sizeof distance, sizeof distance);
  if (!before)
    return false;
  std::memcpy(&distance, before->data(), sizeof distance);
  return function + distance == reinterpret_cast<std::uintptr_t>(&direct);
}

runtime::JobDescription description_of(const RuntimeEntry &entry) {
  return {"entry function", core::readable_handler_name(entry.handler())};
}

auto entry_function_of(RuntimeEntry &entry, std::map<unsigned, BoundArgument> arguments) {
  return [handler = entry.handler(), target = &entry.code, arguments = std::move(arguments)](
             runtime::Worker &worker, const core::Deadline &deadline) {
    return worker.make_entry_function(handler, target, arguments, deadline);
  };
}

} // namespace

void EntryTable::add_native(std::span<const sartor_module> modules) {
  for (const sartor_module &part : modules)
    for (const sartor_symbol &symbol : std::span(part.symbols, part.symbol_count))
      native_.emplace(symbol.name, symbol.address);
}

void EntryTable::open(std::shared_ptr<const core::HandlerModule> module,
                      runtime::CompileQueue &compile_queue,
                      runtime::CompileQueue &quick_compile_queue,
                      std::shared_ptr<EventLog> events) {
  compile_queue_ = &compile_queue;
  quick_compile_queue_ = &quick_compile_queue;
  events_ = std::move(events);
  const base::MutexLock lock(mutex_);
  for (const auto &handler : module->handlers) {
    const auto function = module->address_of(handler.symbol());
    auto known = function ? entries_.find(std::to_string(*function)) : entries_.end();
    if (known == entries_.end())
      continue;
    known->second->name(handler.name);
    if (module->direct(handler))
      continue; // it points to the handler's symbol, as direct calls do
    auto node = entries_.extract(known);
    node.key() = handler.name;
    entries_.insert(std::move(node));
  }
  for (const auto &[name, entry] : entries_)
    if (const void *function = entry->generic(); name == name_of_native(function) && events_)
      if (const auto handler = module->find(function); !handler)
        events_->failure("failure", handler.error());
  module_ = std::move(module);
}

void EntryTable::route_only(std::set<std::string> handlers) {
  const base::MutexLock lock(mutex_);
  routed_ = std::move(handlers);
}

void EntryTable::clear() {
  const base::MutexLock lock(mutex_);
  entries_.clear();
  for (auto &[name, variant] : generic_variants_)
    runtime::retire(std::move(variant));
}

std::shared_ptr<const core::HandlerModule> EntryTable::module() const {
  const base::MutexLock lock(mutex_);
  return module_;
}

RuntimeEntry *EntryTable::known(const std::string &handler) const {
  const base::MutexLock lock(mutex_);
  const auto known = entries_.find(handler);
  return known == entries_.end() ? nullptr : known->second.get();
}

std::vector<RuntimeEntry *> EntryTable::all() const {
  const base::MutexLock lock(mutex_);
  std::vector<RuntimeEntry *> entries;
  for (const auto &[name, entry] : entries_)
    entries.push_back(entry.get());
  return entries;
}

RuntimeEntry *EntryTable::native_entry(void *function) {
  const base::MutexLock lock(mutex_);
  if (module_)
    return nullptr;
  const std::string name = name_of_native(function);
  auto &entry = entries_[name];
  if (!entry) {
    entry = std::make_unique<RuntimeEntry>(owner_, name, function);
    if (owner_.overrides.is_off(name))
      entry->switch_off(true);
  }
  return entry.get();
}

// Without a module, any function could be one of a handler; those of the program's tables are.
bool EntryTable::may_be_handler(const void *function) const {
  return std::ranges::any_of(native_, [&](const auto &each) { return each.second == function; });
}

Result<RuntimeEntry *> EntryTable::find(void *function) {
  if (!function) // also where no module is opened: a call would jump to it
    return std::unexpected(Failure{ErrorCode::unknown_handler, "a virtual function",
                                   "has no address of its own, because each class may override it",
                                   "give its name, and its type with the object first: "
                                   "handler<int(Shape *, int)>(\"Shape::area\")"});
  if (!owner_.is_active() && !may_be_handler(function))
    if (auto opened = owner_.open_now(); !opened)
      return std::unexpected(std::move(opened.error()));
  if (RuntimeEntry *entry = native_entry(function))
    return entry;
  auto handler = module()->find(static_cast<const void *>(function));
  if (!handler)
    return std::unexpected(std::move(handler.error()));
  return entry_of(**handler);
}

Result<RuntimeEntry *> EntryTable::find(std::string_view name,
                                        std::span<const detail::TypeForm> forms) {
  if (auto done = owner_.open_now(); !done)
    return std::unexpected(std::move(done.error()));
  const auto opened = module();
  if (!opened) {
    for (const auto &[symbol, address] : native_)
      if (symbol == name || core::readable_handler_name(symbol) == name)
        return find(address);
    if (void *address = dlsym(RTLD_DEFAULT, std::string(name).c_str()))
      return find(address);
    return std::unexpected(no_such_code(name));
  }
  auto handler = opened->find(name);
  if (!handler)
    return std::unexpected(std::move(handler.error()));
  if (const auto &signature = (*handler)->signature; signature && !forms.empty())
    if (std::string difference = core::difference(*signature, forms); !difference.empty())
      return std::unexpected(Failure{ErrorCode::wrong_signature, std::string(name),
                                     std::move(difference), "write its type as its source has it"});
  return entry_of(**handler);
}

Result<RuntimeEntry *> EntryTable::entry_of(const core::HandlerModule::Handler &handler) {
  if (RuntimeEntry *entry = known(handler.name))
    return entry;
  const auto opened = module();
  void *code = nullptr;
  runtime::VariantRef generic;
  sartor_direct *direct = opened->direct(handler);
  if (direct)
    code = direct->native;
  else if (auto symbol = opened->symbols.find(handler.native_name); symbol != opened->symbols.end())
    code = symbol->second;
  else
    code = dlsym(RTLD_DEFAULT, handler.native_name.c_str());
  if (!code) {
    auto compiled = compile_generic(handler); // without the lock, which jobs that end take
    if (!compiled)
      return std::unexpected(std::move(compiled.error()));
    generic = std::move(*compiled);
    code = generic->code->entry();
  }
  const base::MutexLock lock(mutex_);
  auto &entry = entries_[handler.name];
  if (!entry) {
    const bool is_routed = direct && (!routed_ || routed_->contains(handler.name));
    entry = is_routed ? routed_entry(*opened, handler, *direct)
                      : std::make_unique<RuntimeEntry>(owner_, handler.name, code);
    if (owner_.overrides.is_off(handler.name))
      entry->switch_off(true);
    if (generic)
      generic_variants_[handler.name] = std::move(generic);
  }
  return entry.get();
}

Result<const core::HandlerModule::Handler *>
EntryTable::handler_of(const RuntimeEntry &entry) const {
  const auto opened = module();
  if (auto named = opened->find(entry.handler()))
    return named;
  return opened->find(static_cast<const void *>(entry.generic()));
}

std::unique_ptr<RuntimeEntry> EntryTable::routed_entry(const core::HandlerModule &module,
                                                       const core::HandlerModule::Handler &handler,
                                                       sartor_direct &direct) {
  const auto function = module.address_of(handler.symbol());
  const bool is_called = function && is_read_by(direct, *function);
  auto entry = std::make_unique<RuntimeEntry>(owner_, handler.name, direct.native,
                                              is_called ? &direct : nullptr);
  if (!entry->routes_direct_calls() && events_)
    events_->append(
        "direct_calls",
        {{"handler", handler.name},
         {"message",
          is_called ? "are routed by another Runtime of this process, which was opened first; "
                      "this one routes calls by its handles"
                    : "go to another definition of the handler, in a file that is not compiled as "
                      "one with handlers, or in another library; calls by handles do not"}});
  return entry;
}

Result<runtime::VariantRef>
EntryTable::compile_generic(const core::HandlerModule::Handler &handler) {
  core::Context context;
  context.handler = handler.name;
  const runtime::VariantRecipe recipe{context, variant_name(context), core::Tier::full, {}};
  auto code = runtime::compile_now(
      *compile_queue_, {"generic variant", core::readable_handler_name(handler.name)},
      [recipe](runtime::Worker &worker, const core::Deadline &deadline) {
        return worker.make_variant(recipe, deadline);
      });
  if (!code)
    return std::unexpected(std::move(code.error()));
  auto variant = std::make_shared<runtime::Variant>();
  variant->name = recipe.symbol;
  variant->handler = handler.name;
  variant->code = std::move(*code);
  return variant;
}

Result<void *> EntryTable::find_function(RuntimeEntry &entry,
                                         const std::map<unsigned, BoundArgument> &arguments,
                                         std::shared_ptr<runtime::Code> *held) {
  if (auto done = owner_.open_now(); !done)
    return std::unexpected(std::move(done.error()));
  const auto opened = module();
  if (!opened && arguments.empty())
    return entry.generic();
  if (!opened)
    return std::unexpected(Failure{ErrorCode::bad_binding, entry.handler(),
                                   "cannot have a function of its own while Sartor is off",
                                   "call the handler itself, or unset SARTOR"});
  const auto handler = handler_of(entry);
  if (!handler)
    return std::unexpected(handler.error());
  if (auto same = check_rest_is_passed_alike(**handler, arguments); !same)
    return std::unexpected(std::move(same.error()));
  const base::MutexLock lock(mutex_);
  const auto known = entry.functions.find(arguments);
  return known == entry.functions.end() ? nullptr : known->second.given(held);
}

// Another thread may have added one first, which is then returned.
void *EntryTable::add_function(RuntimeEntry &entry,
                               const std::map<unsigned, BoundArgument> &arguments,
                               std::unique_ptr<runtime::Code> code,
                               std::shared_ptr<runtime::Code> *held) {
  const base::MutexLock lock(mutex_);
  EntryFunction &function = entry.functions[arguments];
  if (!function.code)
    function.code = std::move(code);
  return function.given(held);
}

Result<void *> EntryTable::find_or_make_function(RuntimeEntry &entry,
                                                 const std::map<unsigned, BoundArgument> &arguments,
                                                 std::shared_ptr<runtime::Code> *held) {
  auto known = find_function(entry, arguments, held);
  if (!known || *known)
    return known;
  auto code = runtime::compile_now(*quick_compile_queue_, description_of(entry),
                                   entry_function_of(entry, arguments));
  if (!code)
    return std::unexpected(std::move(code.error()));
  return add_function(entry, arguments, std::move(*code), held);
}

Result<void *> EntryTable::function_of(RuntimeEntry &entry,
                                       const std::map<unsigned, BoundArgument> &arguments) {
  return find_or_make_function(entry, arguments, nullptr);
}

Result<void *> EntryTable::hold_function(RuntimeEntry &entry,
                                         const std::map<unsigned, BoundArgument> &arguments,
                                         std::shared_ptr<runtime::Code> &held) {
  return find_or_make_function(entry, arguments, &held);
}

void EntryTable::release_function(RuntimeEntry &entry,
                                  const std::map<unsigned, BoundArgument> &arguments,
                                  std::shared_ptr<runtime::Code> &held) {
  const base::MutexLock lock(mutex_);
  if (!held)
    return;
  held.reset();
  const auto known = entry.functions.find(arguments);
  if (known != entry.functions.end() && !known->second.stays && known->second.code.use_count() == 1)
    entry.functions.erase(known);
}

Result<void> EntryTable::make_function(RuntimeEntry &entry,
                                       const std::map<unsigned, BoundArgument> &arguments,
                                       std::shared_ptr<runtime::Code> &held,
                                       std::function<void(Result<void *>)> take) {
  auto known = find_function(entry, arguments, &held);
  if (!known)
    return std::unexpected(std::move(known.error()));
  if (*known) {
    base::run_program(take, *known);
    return {};
  }
  return quick_compile_queue_->submit(
      {.description = description_of(entry),
       .request = runtime::next_request(),
       .begin = [] { return true; },
       .work = entry_function_of(entry, arguments),
       .done =
           [this, &entry, &held, arguments, take = std::move(take)](runtime::Job::Outcome outcome) {
             if (outcome)
               base::run_program(take, add_function(entry, arguments, std::move(*outcome), &held));
             else
               base::run_program(take, std::unexpected(std::move(outcome.error())));
           }});
}

} // namespace sartor
