// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/impl.h"

#include <condition_variable>
#include <mutex>

#include <dlfcn.h>

#include "base/default_floats.h"
#include "base/json.h"
#include "base/large_stack.h"
#include "base/reports.h"
#include "core/cache/request_key.h"
#include "core/space/bound_arguments.h"
#include "core/space/fit.h"
#include "core/space/readable_name.h"
#include "runtime/assumptions/check_calls.h"
#include "runtime/direct.h"
#include "runtime/dispatch/retire.h"
#include "runtime/environment.h"
#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/helper.h"
#include "runtime/profiling.h"
#include "runtime/request.h"

namespace sartor {

namespace {

constexpr std::chrono::milliseconds kGuardSamplePeriod{250};
constexpr std::chrono::seconds kClosePatience{5};

auto reporter(const std::shared_ptr<EventLog> &events) {
  return [events](std::string_view event, const Failure &failure) {
    if (events)
      events->failure(event, failure);
  };
}

// Stored code must be distinguishable from code that another build makes of the same handler.
bool can_be_kept(std::string_view event, const std::shared_ptr<EventLog> &events) {
  const bool known = !core::made_here().builds.empty();
  if (!known && events)
    events->failure(event, {ErrorCode::file_error, "the library of mathematics",
                            "has no build id, by which code that was made with it is told from "
                            "another build's",
                            "link it with -Wl,--build-id"});
  return known;
}

core::Stores open_stores(const Options &options, const std::shared_ptr<EventLog> &events) {
  core::Stores stores;
  if (!options.cache_directory.empty() && can_be_kept("cache_unusable", events))
    stores.disk =
        core::DiskCache::open(options.cache_directory, options.disk_cache_bytes, reporter(events));
  if (!options.shared_cache.empty() && can_be_kept("shared_cache_unusable", events)) {
    core::SharedCacheOptions how;
    how.address = options.shared_cache;
    how.key_file = options.shared_cache_key;
    how.password_file = options.shared_cache_password_file;
    how.ca_file = options.shared_cache_ca_file;
    how.limit = options.shared_cache_bytes;
    how.read_only = options.shared_cache_read_only;
    stores.shared = core::SharedCache::open(std::move(how), reporter(events));
  }
  return stores;
}

Failure no_such_code(std::string_view name) {
  return {ErrorCode::unknown_handler, std::string(name),
          "has no native code in this program, and Sartor is off",
          "embed the handler file with sartor_add_handler(), or unset SARTOR"};
}

// Runs a job before all requests, and waits for it. Must not be called with a lock held: jobs that
// end take the runtime's. `work` may continue after this has returned, if it was abandoned.
runtime::Job::Outcome
compile_now(runtime::CompileQueue &compile_queue,
            std::function<runtime::Job::Outcome(runtime::Worker &, const core::Deadline &)> work)
    SARTOR_EXCLUDES(base::any_mutex) {
  const auto promise = std::make_shared<std::promise<runtime::Job::Outcome>>();
  auto outcome = promise->get_future();
  auto taken = compile_queue.submit(
      {.request = ~0ULL,
       .begin = [] { return true; },
       .work = std::move(work),
       .done = [promise](runtime::Job::Outcome done) { promise->set_value(std::move(done)); }});
  if (!taken)
    return std::unexpected(std::move(taken.error()));
  return runtime::get_helping(outcome);
}

} // namespace

namespace {

bool is_for_want_of_a_compiler(ErrorCode code) {
  return code == ErrorCode::no_compiler || code == ErrorCode::compiler_lost ||
         code == ErrorCode::server_refused;
}

} // namespace

Result<std::unique_ptr<Runtime::Impl>> Runtime::Impl::open(std::span<const sartor_module> modules,
                                                           Options options, const Load &load) {
  runtime::begin_checking_calls();
  options = with_environment(std::move(options));
  auto opened = open_event_log(options);
  if (!opened)
    return std::unexpected(std::move(opened.error()));
  std::shared_ptr<EventLog> events = std::move(*opened);
  core::Stores stores = open_stores(options, events);
  if (!modules.empty())
    stores.ahead_of_time = core::AheadOfTimeImages::of(modules.data());
  const auto open_module = [load, stores, events,
                            where =
                                runtime::CompilerAt{options.compiler, options.compiler_server}] {
    return base::on_large_stack([&] { return load({stores, where, reporter(events)}); });
  };
  auto module = open_module();
  if (!module && is_for_want_of_a_compiler(module.error().code)) {
    auto impl = open_inactive(modules, std::move(options));
    impl->events = std::move(events);
    impl->stores = std::move(stores);
    reporter(impl->events)("failure", module.error());
    impl->no_compiler = std::move(module.error());
    if (impl->options.compiler == CompilerLocation::server)
      impl->opener =
          std::make_shared<Opener>(open_module, [impl = impl.get()](core::HandlerModule &&opened) {
            impl->wake(std::move(opened));
          });
    return impl;
  }
  if (!module)
    return std::unexpected(std::move(module.error()));
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  impl->events = std::move(events);
  impl->stores = std::move(stores);
  impl->take(std::move(*module));
  {
    const base::MutexLock lock(impl->mutex);
    impl->space = impl->module->space;
  }
  impl->active_ = true;
  return impl;
}

void Runtime::Impl::take(core::HandlerModule &&loaded) {
  runtime::begin_retiring();
  if (options.exact_floats)
    core::keep_floats_exact(loaded);
  linker = std::make_shared<runtime::Linker>(loaded.symbols, options.perf);
  module = std::make_shared<const core::HandlerModule>(std::move(loaded));
  stores.recent = std::make_shared<core::RecentImages>(options.code_cache_bytes / 4);
  for (const Failure &failure : module->left_out)
    reporter(events)("failure", failure);
  failure_counters.reset(new std::uint64_t[module->space.points().size()]());
  cache = std::make_unique<runtime::VariantCache>(options.code_cache_bytes);
  const auto make_worker =
      [module = module, linker = linker, counters = failure_counters, stores = stores,
       where = runtime::CompilerAt{options.compiler, options.compiler_server}] {
        return std::make_unique<runtime::Worker>(module, linker, counters, stores, where);
      };
  const auto timeout = options.compile_timeout;
  compile_queue = std::make_unique<runtime::CompileQueue>(core::Tier::full, make_worker, timeout);
  quick_compile_queue =
      std::make_unique<runtime::CompileQueue>(core::Tier::quick, make_worker, timeout);
  std::vector<std::uintptr_t> names;
  for (const auto &[name, address] : module->symbols)
    names.push_back(reinterpret_cast<std::uintptr_t>(address));
  runtime::Registry::instance().add(*this, std::move(names));
  if (events)
    base::add_log(events);
  base::add(*this);
}

void Runtime::Impl::adopt_entries() {
  for (const auto &handler : module->handlers) {
    const auto function = module->address_of(handler.symbol());
    auto known = function ? entries.find(std::to_string(*function)) : entries.end();
    if (known == entries.end())
      continue;
    known->second->name(handler.name);
    if (module->direct(handler))
      continue; // it points to the handler's symbol, as direct calls do
    auto node = entries.extract(known);
    node.key() = handler.name;
    entries.insert(std::move(node));
  }
}

void Runtime::Impl::adopt_bindings(std::vector<std::shared_ptr<Request>> &asked) {
  auto before = std::exchange(bindings, {});
  for (auto &[key, entry] : before) {
    std::string renamed = "while opening " + key; // the name if its context cannot be determined
    const auto handler = module->find(entry->generic());
    auto fitted = handler
                      ? fit_arguments(**handler, entry->arguments)
                      : Result<std::map<unsigned, BoundArgument>>(std::unexpected(handler.error()));
    if (fitted) {
      entry->name((*handler)->name);
      entry->arguments = std::move(*fitted);
      auto context =
          context_of((*handler)->name, *fit(Configuration(), module->space), entry->arguments);
      if (context) {
        auto request =
            std::make_shared<Request>(*this, requests = runtime::next_request(), Purpose::activate);
        request->impl.mutex.assert_held(); // the same lock: the request belongs to this runtime
        request->add_bound(*entry, std::move(*context));
        asked.push_back(std::move(request));
      }
    } else if (events) {
      events->failure("failure", fitted.error());
    }
    entry->key = renamed;
    bindings.emplace(std::move(renamed), std::move(entry));
  }
}

void Runtime::Impl::wake(core::HandlerModule &&loaded) {
  take(std::move(loaded));
  declared = runtime::hold_declared();
  std::vector<std::shared_ptr<Request>> asked;
  std::optional<Configuration> configuration;
  {
    const base::MutexLock lock(mutex);
    space = module->space;
    if (constrained_while_opening)
      space.constrain(*constrained_while_opening);
    adopt_entries();
    active_.store(true, std::memory_order_release);
    adopt_bindings(asked);
    configuration = std::exchange(asked_while_opening, std::nullopt);
  }
  if (events)
    events->append("opened_late", {{"source", module->source}});
  {
    const base::MutexLock lock(mutex);
    for (const auto &request : asked) {
      request->impl.mutex.assert_held(); // the same lock: the request belongs to this runtime
      request->begin();
    }
  }
  if (configuration)
    (void)request(configuration, Purpose::activate);
}

std::unique_ptr<Runtime::Impl> Runtime::Impl::open_inactive(std::span<const sartor_module> modules,
                                                            Options options) {
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  for (const sartor_module &part : modules)
    for (const sartor_symbol &symbol : std::span(part.symbols, part.symbol_count))
      impl->native.emplace(symbol.name, symbol.address);
  return impl;
}

std::shared_ptr<Runtime::Impl> Runtime::Impl::sharable(std::unique_ptr<Impl> impl) {
  return {impl.release(), [](const Impl *last) {
            if (!base::is_exiting()) {
              const base::MutexLock lock(last->mutex);
              for (const auto &[name, entry] : last->entries)
                entry->leave_direct_calls();
              for (const auto &[key, entry] : last->bindings)
                entry->let_go();
            }
            if (base::is_exiting() || !runtime::wait_for_readers(kClosePatience))
              base::keep(std::shared_ptr<const Impl>(last));
            else
              delete last;
          }};
}

Runtime::Impl::~Impl() {
  if (opener)
    opener->stop();
  base::remove(*this);
  runtime::Registry::instance().remove(*this);
  sampler_stop.request_stop();
  guard_sampler.join();
  for (runtime::CompileQueue *shop : {quick_compile_queue.get(), compile_queue.get()})
    if (shop)
      shop->close(); // running jobs may use either until they have ended
  {
    const base::MutexLock lock(mutex);
    entries.clear();
    bindings.clear();
    cache.reset();
    custom_kinds.clear();
    for (auto &[name, variant] : generic_variants)
      runtime::retire(std::move(variant));
  }
  // Threads in handlers of other runtimes may delay the release of this runtime's code for long.
  if (!runtime::wait_for_retired(kClosePatience))
    base::keep(linker);
  base::remove_log(events);
}

void Runtime::Impl::resume_in_child() {
  const base::MutexLock lock(mutex);
  for (RuntimeEntry *entry : rotating)
    entry->rotation->stop();
  for (auto &[name, entry] : entries)
    let_go(*entry);
  for (auto &[key, entry] : bindings)
    let_go(*entry);
}

Result<runtime::VariantRef>
Runtime::Impl::compile_generic(const core::HandlerModule::Handler &handler) {
  core::Context context;
  context.handler = handler.name;
  const runtime::VariantRecipe recipe{context, variant_name(context), core::Tier::full, {}};
  auto code = compile_now(*compile_queue,
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

void Runtime::Impl::make_template(const core::Context &context) {
  const auto fitting = fitting_template(context, module->space);
  if (!fitting || !options.quick_tier || !pipeline.passes.empty())
    return;
  const std::string key = cache_key(fitting->context, pipeline);
  if (!templates.begin(key))
    return;
  const runtime::VariantRecipe recipe{
      fitting->context, variant_name(fitting->context) + " (template)", core::Tier::full, pipeline};
  const auto made = std::make_shared<Templates::CodeImage>();
  // Requests that a caller waits for come first.
  (void)compile_queue->submit(
      {.request = 0,
       .begin = [] { return true; },
       .work = [recipe, made](runtime::Worker &worker,
                              const core::Deadline &deadline) -> runtime::Job::Outcome {
         auto image = worker.make_template(recipe, deadline);
         if (!image)
           return std::unexpected(std::move(image.error()));
         *made = std::make_shared<const core::CodeImage>(std::move(*image));
         return nullptr;
       },
       .done =
           [this, key, made, recipe](runtime::Job::Outcome outcome) {
             const base::MutexLock lock(mutex);
             if (outcome)
               templates.insert(key, *made);
             if (events)
               events->append("template", {{"text", recipe.symbol},
                                           {"problem", outcome ? "" : outcome.error().text()}});
           }});
}

Result<RuntimeEntry *> Runtime::Impl::entry_of(const core::HandlerModule::Handler &handler) {
  {
    const base::MutexLock lock(mutex);
    if (auto known = entries.find(handler.name); known != entries.end())
      return known->second.get();
  }
  void *code = nullptr;
  runtime::VariantRef generic;
  sartor_direct *direct = module->direct(handler);
  if (direct)
    code = direct->native;
  else if (auto known = module->symbols.find(handler.native_name); known != module->symbols.end())
    code = known->second;
  else
    code = dlsym(RTLD_DEFAULT, handler.native_name.c_str());
  if (!code) {
    auto compiled = compile_generic(handler); // without the lock, which jobs that end take
    if (!compiled)
      return std::unexpected(std::move(compiled.error()));
    generic = std::move(*compiled);
    code = generic->code->entry();
  }
  const base::MutexLock lock(mutex);
  auto &entry = entries[handler.name];
  if (!entry) {
    entry = direct ? routed_entry(*this, handler, *direct)
                   : std::make_unique<RuntimeEntry>(*this, handler.name, code);
    if (generic)
      generic_variants[handler.name] = std::move(generic);
  }
  return entry.get();
}

Result<RuntimeEntry *> Runtime::Impl::find(void *function) {
  if (!is_active()) {
    const base::MutexLock lock(mutex);
    if (!is_active()) { // checked again under the lock
      const std::string name = std::to_string(reinterpret_cast<std::uintptr_t>(function));
      auto &entry = entries[name];
      if (!entry)
        entry = std::make_unique<RuntimeEntry>(*this, name, function);
      return entry.get();
    }
  }
  auto handler = module->find(static_cast<const void *>(function));
  if (!handler)
    return std::unexpected(std::move(handler.error()));
  return entry_of(**handler);
}

Result<RuntimeEntry *> Runtime::Impl::find(std::string_view name,
                                           std::span<const detail::TypeForm> forms) {
  if (!is_active()) {
    for (const auto &[symbol, address] : native)
      if (symbol == name || core::readable_name(symbol) == name)
        return find(address);
    if (void *address = dlsym(RTLD_DEFAULT, std::string(name).c_str()))
      return find(address);
    return std::unexpected(no_such_code(name));
  }
  auto handler = module->find(name);
  if (!handler)
    return std::unexpected(std::move(handler.error()));
  if (const auto &signature = (*handler)->signature; signature && !forms.empty())
    if (std::string difference = core::difference(*signature, forms); !difference.empty())
      return std::unexpected(Failure{ErrorCode::wrong_signature, std::string(name),
                                     std::move(difference), "write its type as its source has it"});
  return entry_of(**handler);
}

Result<void *> Runtime::Impl::find_function(RuntimeEntry &entry,
                                            const std::map<unsigned, BoundArgument> &arguments) {
  if (!is_active() && arguments.empty())
    return entry.generic();
  if (!is_active())
    return std::unexpected(Failure{ErrorCode::bad_binding, entry.handler(),
                                   "cannot have a function of its own while Sartor is off",
                                   "call the handler itself, or unset SARTOR"});
  if (auto same = check_rest_is_passed_alike(**module->find(entry.handler()), arguments); !same)
    return std::unexpected(std::move(same.error()));
  const base::MutexLock lock(mutex);
  const auto known = entry.functions.find(arguments);
  return known == entry.functions.end() ? nullptr : known->second->entry();
}

// Another thread may have added one first, which is then returned.
void *Runtime::Impl::add_function(RuntimeEntry &entry,
                                  const std::map<unsigned, BoundArgument> &arguments,
                                  std::unique_ptr<runtime::Code> code) {
  const base::MutexLock lock(mutex);
  return entry.functions.try_emplace(arguments, std::move(code)).first->second->entry();
}

namespace {

auto entry_function_of(RuntimeEntry &entry, std::map<unsigned, BoundArgument> arguments) {
  return [handler = entry.handler(), target = &entry.code, arguments = std::move(arguments)](
             runtime::Worker &worker, const core::Deadline &deadline) {
    return worker.make_entry_function(handler, target, arguments, deadline);
  };
}

} // namespace

Result<void *> Runtime::Impl::function_of(RuntimeEntry &entry,
                                          const std::map<unsigned, BoundArgument> &arguments) {
  auto known = find_function(entry, arguments);
  if (!known || *known)
    return known;
  auto code = compile_now(*quick_compile_queue, entry_function_of(entry, arguments));
  if (!code)
    return std::unexpected(std::move(code.error()));
  return add_function(entry, arguments, std::move(*code));
}

Result<void> Runtime::Impl::make_function(RuntimeEntry &entry,
                                          const std::map<unsigned, BoundArgument> &arguments,
                                          std::function<void(Result<void *>)> take) {
  auto known = find_function(entry, arguments);
  if (!known)
    return std::unexpected(std::move(known.error()));
  if (*known) {
    base::run_program(take, *known);
    return {};
  }
  return quick_compile_queue->submit(
      {.request = runtime::next_request(),
       .begin = [] { return true; },
       .work = entry_function_of(entry, arguments),
       .done =
           [this, &entry, arguments, take = std::move(take)](runtime::Job::Outcome outcome) {
             if (outcome)
               base::run_program(take, add_function(entry, arguments, std::move(*outcome)));
             else
               base::run_program(take, std::unexpected(std::move(outcome.error())));
           }});
}

Result<void> Runtime::Impl::make_rotation(RuntimeEntry &entry) {
  {
    const base::MutexLock lock(mutex);
    if (entry.rotation)
      return {};
  }
  auto rotation = runtime::Rotation::create(entry);
  if (!rotation)
    return std::unexpected(std::move(rotation.error()));
  auto stub = compile_now(*quick_compile_queue,
                          [handler = entry.handler(), site = (*rotation)->site()](
                              runtime::Worker &worker, const core::Deadline &deadline) {
                            return worker.make_rotation_stub(handler, site, deadline);
                          });
  if (!stub)
    return std::unexpected(std::move(stub.error()));
  (*rotation)->set_stub(std::move(*stub));
  const base::MutexLock lock(mutex);
  if (!entry.rotation) {
    entry.rotation = std::move(*rotation);
    rotating.push_back(&entry);
  }
  return {};
}

std::future<Runtime::Impl::Infos> Runtime::Impl::request(std::optional<Configuration> asked,
                                                         Purpose purpose) {
  const base::DefaultFloats floats;
  if (!is_active()) {
    std::promise<Infos> nothing;
    if (opener) {
      opener->start();
      const base::MutexLock lock(mutex);
      if (!is_active() && asked && purpose == Purpose::activate)
        asked_while_opening = std::move(asked);
    }
    if (no_compiler)
      nothing.set_exception(std::make_exception_ptr(Error(*no_compiler)));
    else
      nothing.set_value(Infos{});
    return nothing.get_future();
  }
  // A handler without native code that cannot be compiled fails when it is requested.
  for (const auto &handler : module->handlers)
    (void)entry_of(handler);
  base::MutexLock lock(mutex);
  start_guard_sampler();
  const Configuration configuration = asked               ? std::move(*asked)
                                      : requested.empty() ? Configuration()
                                                          : requested.rbegin()->second;
  auto fitted = fit(configuration, space);
  if (fitted && asked) // Code that is already active stays so under new constraints.
    if (auto failure = space.check(*fitted))
      fitted = std::unexpected(std::move(*failure));
  auto request = std::make_shared<Request>(*this, requests = runtime::next_request(), purpose);
  request->impl.mutex.assert_held(); // the same lock: the request belongs to this runtime
  auto outcome = request->promise.get_future();
  core::Context refused;
  refused.configuration = configuration;
  if (!fitted) {
    request->fail(std::move(fitted.error()), refused);
    return outcome;
  }
  if (purpose == Purpose::activate)
    requested.emplace(request->id, configuration);
  for (const auto &handler : module->handlers) {
    auto entry = entries.find(handler.name);
    if (entry == entries.end())
      continue;
    auto context = context_of(handler.name, *fitted, {});
    // A request for a fast path that has no answers yet fails; later it may have some.
    if (context && asked)
      if (auto answers = check_answers(*context); !answers)
        context = std::unexpected(std::move(answers.error()));
    if (!context) {
      request->fail(std::move(context.error()), refused);
      return outcome;
    }
    request->add(*entry->second, std::move(*context));
  }
  request->fill_templates();
  request->begin();
  return outcome;
}

std::map<std::string, std::uint64_t> Runtime::Impl::guard_failures() const {
  std::map<std::string, std::uint64_t> failures;
  if (!is_active())
    return failures;
  const auto &points = module->space.points();
  for (std::size_t i = 0; i < points.size(); ++i)
    failures[points[i].label] =
        __atomic_load_n(&failure_counters[i], __ATOMIC_RELAXED); // NOLINT: JIT code writes it
  return failures;
}

// Without this thread the event log does not report guards: an error to be ignored, like a full
// disk.
void Runtime::Impl::start_guard_sampler() {
  if (!events || guard_sampler.is_here())
    return;
  sampler_stop = {};
  if (auto thread = base::Thread::start(
          "sartor-guards", [this, stop = sampler_stop.get_token()] { sample_guards(stop); }))
    guard_sampler = std::move(*thread);
}

void Runtime::Impl::sample_guards(const std::stop_token &stop) const {
  std::mutex mine; // no other thread takes it
  std::condition_variable_any wake;
  auto last = guard_failures();
  std::unique_lock lock(mine);
  while (!wake.wait_for(lock, stop, kGuardSamplePeriod, [] { return false; }) &&
         !stop.stop_requested()) {
    auto now = guard_failures();
    if (now == last)
      continue;
    auto fresh = nlohmann::ordered_json::object();
    for (const auto &[label, count] : now)
      if (count != last[label])
        fresh[label] = count - last[label];
    events->append("guards", {{"failures", std::move(fresh)}});
    last = std::move(now);
  }
}

} // namespace sartor
