// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/impl.h"

#include <chrono>
#include <ranges>
#include <utility>
#include <vector>

#include <sys/auxv.h>

#include "base/default_floats.h"
#include "base/environment.h"
#include "base/reports.h"
#include "base/text/json.h"
#include "base/thread/large_stack.h"
#include "core/cache/build_id.h"
#include "core/cache/request_key.h"
#include "core/space/bound_arguments.h"
#include "core/space/fit.h"
#include "core/space/handler_name.h"
#include "runtime/assumptions/check_calls.h"
#include "runtime/control/control.h"
#include "runtime/control/control_socket.h"
#include "runtime/control/policy.h"
#include "runtime/dispatch/retire.h"
#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/compile_attempt.h"
#include "runtime/profiling.h"
#include "runtime/request.h"
#include "runtime/runtime_options.h"

namespace sartor {

namespace {

constexpr std::chrono::seconds kClosePatience{5};

auto reporter(const std::shared_ptr<EventLog> &events) {
  return [events](std::string_view event, const Failure &failure) {
    if (events)
      events->failure(event, failure);
  };
}

/// Reports also on standard error what is wrong with a store that a variable has named.
auto reporter(const std::shared_ptr<EventLog> &events, const char *variable,
              const std::optional<std::string> &said) {
  return [report = reporter(events), variable,
          is_named = said.has_value()](std::string_view event, const Failure &failure) {
    report(event, failure);
    if (is_named && (event.ends_with("_unusable") || event.ends_with("_refused")))
      base::complain(std::string(variable) + ": " + failure.text());
  };
}

// Stored code must be distinguishable from code that another build makes of the same handler.
bool can_be_kept(std::string_view event, const std::shared_ptr<EventLog> &events) {
  const bool known = !core::made_here().builds.empty();
  if (!known && events)
    events->failure(event, {ErrorCode::file_error, "the library of mathematics",
                            "has no build id, which distinguishes code that was compiled with it "
                            "from another build's",
                            "link it with -Wl,--build-id"});
  return known;
}

core::Stores open_stores(const Options &options, const std::shared_ptr<EventLog> &events) {
  core::Stores stores;
  const base::Environment said = base::read_environment();
  if (!options.cache_directory.empty() && can_be_kept("cache_unusable", events))
    stores.disk = core::DiskCache::open(options.cache_directory, options.disk_cache_bytes,
                                        reporter(events, "SARTOR_CACHE_DIR", said.cache_directory));
  if (!options.shared_cache.empty() && can_be_kept("shared_cache_unusable", events)) {
    core::SharedCacheOptions how;
    how.address = options.shared_cache;
    how.key_file = options.shared_cache_key;
    how.password_file = options.shared_cache_password_file;
    how.ca_file = options.shared_cache_ca_file;
    how.limit = options.shared_cache_bytes;
    how.read_only = options.shared_cache_read_only;
    stores.shared = core::SharedCache::open(
        std::move(how), reporter(events, "SARTOR_SHARED_CACHE", said.shared_cache));
  }
  return stores;
}

/// Gives a log the events of the process, for its lifetime.
class ListedLog {
public:
  explicit ListedLog(std::shared_ptr<EventLog> log) : log_(std::move(log)) {
    if (log_)
      base::add_log(log_);
  }
  ~ListedLog() { base::remove_log(log_); }
  ListedLog(const ListedLog &) = delete;
  ListedLog &operator=(const ListedLog &) = delete;

private:
  std::shared_ptr<EventLog> log_;
};

bool is_for_want_of_a_compiler(ErrorCode code) {
  return code == ErrorCode::no_compiler || code == ErrorCode::compiler_lost ||
         code == ErrorCode::server_refused;
}

} // namespace

Result<std::unique_ptr<Runtime::Impl>> Runtime::Impl::open(std::span<const sartor_module> modules,
                                                           Options options, const Load &load) {
  runtime::begin_checking_calls();
  auto opened = open_event_log(options);
  if (!opened)
    return std::unexpected(std::move(opened.error()));
  std::shared_ptr<EventLog> events = std::move(*opened);
  if (options.control) {
    if (!events)
      events = EventLog::in_memory();
    events->keep(Control::instance().events());
  }
  core::Stores stores = open_stores(options, events);
  if (!modules.empty())
    stores.ahead_of_time = core::AheadOfTimeImages::of(modules.data());
  const auto open_module = [load, stores, events,
                            where =
                                runtime::CompilerAt{options.compiler, options.compiler_server}] {
    return base::on_large_stack([&] { return load({stores, where, reporter(events)}); });
  };
  const auto begin_inactive = [&] {
    auto impl = open_inactive(modules, std::move(options));
    impl->events = std::move(events);
    impl->stores = std::move(stores);
    impl->read_policy(modules);
    if (impl->options.compiler == CompilerLocation::server)
      impl->opener =
          std::make_shared<Opener>(open_module, [impl = impl.get()](core::HandlerModule &&opened) {
            impl->wake(std::move(opened));
          });
    return impl;
  };
  if (options.lazy_opening) {
    auto impl = begin_inactive();
    impl->join_process();
    {
      const base::MutexLock lock(impl->mutex);
      impl->keeps_waiting = true;
    }
    impl->lazy_opening = std::make_unique<LazyOpening>(
        open_module,
        [impl = impl.get()](Result<core::HandlerModule> opened) {
          if (opened)
            impl->wake(std::move(*opened));
          else
            impl->give_up(std::move(opened.error()));
        },
        [] {
          return std::make_unique<runtime::Worker>(nullptr, nullptr, nullptr, core::Stores(),
                                                   runtime::CompilerAt());
        });
    return impl;
  }
  auto module = [&] {
    const ListedLog listed(events); // a compiler process may be started
    return open_module();
  }();
  if (!module && is_for_want_of_a_compiler(module.error().code)) {
    auto impl = begin_inactive();
    impl->give_up(std::move(module.error()));
    return impl;
  }
  if (!module)
    return std::unexpected(std::move(module.error()));
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  impl->events = std::move(events);
  impl->stores = std::move(stores);
  impl->read_policy(modules);
  impl->take(std::move(*module));
  {
    const base::MutexLock lock(impl->mutex);
    impl->space = impl->module->space;
  }
  impl->resolve_overrides();
  impl->open_entries();
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
  profiles = std::make_unique<Profiles>(module);
  guard_failures = std::make_unique<GuardFailures>(module, events);
  cache = std::make_unique<runtime::VariantCache>(options.code_cache_bytes);
  verifier.open();
  compile_failures = std::make_shared<core::CompileFailures>(
      verifier.quarantine() ? core::state_directory(options.state_directory)
                            : std::filesystem::path(),
      runtime::text_of_limits(options));
  const auto make_worker = [module = module, linker = linker, counters = guard_failures->counters(),
                            stores = stores,
                            where = runtime::CompilerAt{options.compiler, options.compiler_server,
                                                        options.compile_memory_bytes}] {
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
  // Not on the thread that opens handlers lazily: fork() waits for it, and base::add() for fork().
  if (!lazy_opening)
    join_process();
}

void Runtime::Impl::join_process() {
  if (events)
    base::add_log(events);
  base::add(*this);
  control = std::make_unique<RuntimeControl>(*this);
  if (options.control)
    ControlSocket::instance().open();
  if (!options.metrics_file.empty())
    ControlSocket::instance().write_metrics(options.metrics_file);
}

void Runtime::Impl::read_policy(std::span<const sartor_module> modules) {
  const auto is_own = [&](const std::string &build_id) {
    return core::build_id_at(modules.data()) == build_id ||
           core::build_id_at(reinterpret_cast<const void *>(getauxval(AT_PHDR))) == build_id;
  };
  std::vector<Failure> problems;
  for (const std::string &name : names_off(is_own, problems))
    (void)overrides.switch_off(name, nullptr);
  for (Failure &problem : problems) {
    problem.message += "; all handlers are switched off";
    base::complain(problem.text());
    if (events)
      events->failure("policy_unusable", problem);
  }
}

// A rule without a build id may be meant for other programs.
void Runtime::Impl::resolve_overrides() {
  if (overrides.any())
    (void)overrides.resolve(*module);
}

void Runtime::Impl::apply_overrides() {
  const base::MutexLock lock(mutex);
  const auto apply = [this](RuntimeEntry &entry) SARTOR_REQUIRES(mutex) {
    const bool off = overrides.is_off(entry.handler());
    if (off)
      let_go(entry);
    if (off != entry.is_off())
      entry.switch_off(off);
  };
  for (RuntimeEntry *entry : entries.all())
    apply(*entry);
  for (RuntimeEntry *entry : bindings.all())
    apply(*entry);
}

void Runtime::Impl::open_entries() {
  entries.open(module, *compile_queue, *quick_compile_queue, events);
}

void Runtime::Impl::adopt_bindings(std::vector<std::shared_ptr<Request>> &asked,
                                   std::vector<Refused> &refused) {
  for (detail::BoundEntry *entry : bindings.all()) {
    entry->key = "while opening " + entry->key; // its context may not be known
    const auto handler = module->find(entry->generic());
    auto fitted = handler
                      ? fit_arguments(**handler, entry->arguments)
                      : Result<std::map<unsigned, BoundArgument>>(std::unexpected(handler.error()));
    if (fitted) {
      entry->name((*handler)->name);
      entry->arguments = std::move(*fitted);
      auto configuration = fit(entry->configuration, module->space);
      if (!configuration) // whose request fails
        configuration = fit(Configuration(), module->space);
      auto context = context_of((*handler)->name, *configuration, entry->arguments);
      if (context) {
        auto request = std::make_shared<Request>(*this, runtime::next_request(), Purpose::activate);
        request->impl.mutex.assert_held(); // the same lock: the request belongs to this runtime
        if (auto promise = std::exchange(entry->unopened, std::nullopt))
          request->promise = std::move(*promise);
        request->add_bound(*entry, std::move(*context));
        asked.push_back(std::move(request));
        continue;
      }
      fitted = std::unexpected(std::move(context.error()));
    }
    if (events)
      events->failure("failure", fitted.error());
    if (auto promise = std::exchange(entry->unopened, std::nullopt))
      refused.emplace_back(std::move(*promise), std::move(fitted.error()));
  }
  bindings.rename_all();
}

void Runtime::Impl::constrain_opened() {
  try {
    if (constrained_while_opening)
      space.constrain(*std::exchange(constrained_while_opening, std::nullopt));
  } catch (const Error &error) {
    reporter(events)("failure", error.failure());
  }
}

void Runtime::Impl::wake(core::HandlerModule &&loaded) {
  take(std::move(loaded));
  declared = runtime::hold_declared();
  std::vector<std::shared_ptr<Request>> asked;
  std::vector<Refused> refused;
  std::optional<Configuration> configuration;
  {
    const base::MutexLock lock(mutex);
    space = module->space;
    constrain_opened();
    resolve_overrides();
    adopt_bindings(asked, refused);
    // After which the names of all entries may be read without the lock.
    open_entries();
    active_.store(true, std::memory_order_release);
    configuration = std::exchange(asked_while_opening, std::nullopt);
    not_opened.reset();
  }
  // A caller that learns this finds the handlers opened.
  for (auto &[promise, failure] : refused)
    promise.set_exception(std::make_exception_ptr(Error(failure)));
  apply_overrides();
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
  serve_waiting();
}

// Requests that come meanwhile wait, too, so that their order stays.
void Runtime::Impl::serve_waiting() {
  for (;;) {
    base::MutexLock lock(mutex);
    if (waiting.empty()) {
      keeps_waiting = false;
      return;
    }
    Waiting next = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    serve(std::move(next));
  }
}

void Runtime::Impl::give_up(Failure failure) {
  reporter(events)("failure", failure);
  std::vector<std::promise<Infos>> failed;
  {
    const base::MutexLock lock(mutex);
    for (Waiting &each : std::exchange(waiting, {}))
      failed.push_back(std::move(each.promise));
    for (detail::BoundEntry *entry : bindings.all())
      if (auto promise = std::exchange(entry->unopened, std::nullopt))
        failed.push_back(std::move(*promise));
    not_opened = failure;
    keeps_waiting = false;
  }
  for (std::promise<Infos> &promise : failed)
    promise.set_exception(std::make_exception_ptr(Error(failure)));
  if (opener && lazy_opening && is_for_want_of_a_compiler(failure.code))
    opener->start();
}

Result<void> Runtime::Impl::open_now() {
  if (!lazy_opening || is_active())
    return {};
  lazy_opening->wait();
  const base::MutexLock lock(mutex);
  if (not_opened && !is_for_want_of_a_compiler(not_opened->code))
    return std::unexpected(*not_opened);
  return {};
}

std::unique_ptr<Runtime::Impl> Runtime::Impl::open_inactive(std::span<const sartor_module> modules,
                                                            Options options) {
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  impl->entries.add_native(modules);
  return impl;
}

std::shared_ptr<Runtime::Impl> Runtime::Impl::sharable(std::unique_ptr<Impl> impl) {
  return {impl.release(), [](const Impl *last) {
            if (!base::is_exiting()) {
              const base::MutexLock lock(last->mutex);
              for (RuntimeEntry *entry : last->entries.all())
                entry->leave_direct_calls();
              for (RuntimeEntry *entry : last->bindings.all())
                entry->let_go();
            }
            if (base::is_exiting() || !runtime::wait_for_readers(kClosePatience))
              base::keep(std::shared_ptr<const Impl>(last));
            else
              delete last;
          }};
}

Runtime::Impl::~Impl() {
  control.reset();
  verifier.stop();
  if (lazy_opening)
    lazy_opening->close();
  if (opener)
    opener->stop();
  base::remove(*this);
  runtime::Registry::instance().remove(*this);
  if (guard_failures)
    guard_failures->stop_sampling();
  for (runtime::CompileQueue *shop : {quick_compile_queue.get(), compile_queue.get()})
    if (shop)
      shop->close(); // running jobs may use either until they have ended
  {
    const base::MutexLock lock(mutex);
    entries.clear();
    bindings.clear();
    cache.reset();
    generators.clear();
  }
  // Threads in handlers of other runtimes may delay the release of this runtime's code for long.
  if (!runtime::wait_for_retired(kClosePatience))
    base::keep(linker);
  base::remove_log(events);
}

void Runtime::Impl::resume_in_child() {
  if (lazy_opening)
    lazy_opening->resume_in_child();
  const base::MutexLock lock(mutex);
  verifier.resume_in_child();
  if (guard_failures)
    guard_failures->resume_in_child();
  for (RuntimeEntry *entry : rotating)
    entry->rotation->stop();
  for (RuntimeEntry *entry : entries.all())
    let_go(*entry);
  for (RuntimeEntry *entry : bindings.all())
    let_go(*entry);
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
      {.description = {"template", core::readable_handler_name(context.handler),
                       context.configuration},
       .request = 0,
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

std::future<Runtime::Impl::Infos> Runtime::Impl::request(std::optional<Configuration> asked,
                                                         Purpose purpose, bool is_operators) {
  Waiting request{std::move(asked), purpose, {}};
  auto outcome = request.promise.get_future();
  if (opener && !is_active() && (!lazy_opening || lazy_opening->is_over()))
    opener->start();
  base::MutexLock lock(mutex);
  if (request.asked && purpose == Purpose::activate)
    keep_pinned(*request.asked, is_operators);
  if (keeps_waiting) {
    waiting.push_back(std::move(request));
    lock.unlock();
    lazy_opening->start();
  } else if (is_active()) {
    lock.unlock();
    serve(std::move(request));
  } else {
    if (opener && request.asked && purpose == Purpose::activate)
      asked_while_opening = std::move(request.asked);
    const std::optional<Failure> failure = not_opened;
    lock.unlock();
    if (failure)
      request.promise.set_exception(std::make_exception_ptr(Error(*failure)));
    else
      request.promise.set_value(Infos{});
  }
  return outcome;
}

void Runtime::Impl::keep_pinned(Configuration &asked, bool is_operators) {
  const auto pinned = overrides.pinned();
  if (!pinned)
    return;
  if (!is_operators)
    asked_while_pinned = asked;
  asked = *pinned;
}

Configuration Runtime::Impl::newest() const {
  for (const Waiting &each : std::ranges::reverse_view(waiting))
    if (each.asked && each.purpose == Purpose::activate)
      return *each.asked;
  return requested.newest();
}

void Runtime::Impl::serve(Waiting asking) {
  const base::DefaultFloats floats;
  auto &[asked, purpose, promise] = asking;
  // A handler without native code that cannot be compiled fails when it is requested.
  for (const auto &handler : module->handlers)
    (void)entries.entry_of(handler);
  base::MutexLock lock(mutex);
  guard_failures->start_sampling();
  const Configuration configuration = asked ? std::move(*asked) : requested.newest();
  auto fitted = fit(configuration, space);
  if (fitted && asked) // Code that is already active stays so under new constraints.
    if (auto failure = space.check(*fitted))
      fitted = std::unexpected(std::move(*failure));
  auto request = std::make_shared<Request>(*this, runtime::next_request(), purpose);
  request->impl.mutex.assert_held(); // the same lock: the request belongs to this runtime
  request->promise = std::move(promise);
  core::Context refused;
  refused.configuration = configuration;
  if (!fitted) {
    request->fail(std::move(fitted.error()), refused);
    return;
  }
  if (purpose == Purpose::activate)
    requested.add(request->id, configuration);
  for (const auto &handler : module->handlers) {
    RuntimeEntry *entry = entries.known(handler.name);
    if (!entry)
      continue;
    auto context = context_of(handler.name, *fitted, {});
    // A request for a fast path that has no answers yet fails; later it may have some.
    if (context && asked)
      if (auto answers = check_answers(*context, module->space); !answers)
        context = std::unexpected(std::move(answers.error()));
    if (!context) {
      request->fail(std::move(context.error()), refused);
      return;
    }
    request->add(*entry, std::move(*context));
  }
  request->fill_templates();
  request->begin();
}

} // namespace sartor
