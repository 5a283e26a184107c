// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/runtime.hpp>

#include <cstdlib>
#include <string_view>

#include "base/default_floats.h"
#include "base/pin.h"
#include "base/readers.h"
#include "core/image/processor.h"
#include "runtime/dispatch/retire.h"
#include "runtime/impl.h"
#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/compile_queue.h"
#include "runtime/jit/helper.h"
#include "runtime/runtime_options.h"

namespace sartor {

namespace {

// Entries point to the native code of its handlers when no variant is active.
void pin(std::span<const sartor_module> modules) {
  for (const sartor_module &module : modules)
    base::pin_library_of(&module);
}

} // namespace

// Without a compiler the program runs its own code, as it does where Sartor is switched off.
std::shared_ptr<Runtime::Impl> Runtime::Impl::opened(std::span<const sartor_module> modules,
                                                     const Options &asked, const Load &load,
                                                     bool is_embedded) {
  const base::DefaultFloats floats;
  if (switched_off())
    return sharable(open_inactive(modules, asked));
  pin(modules);
  Options options = with_environment(asked);
  options.lazy_opening = options.lazy_opening && is_embedded && !modules.empty();
  auto impl = or_throw(open(modules, std::move(options), load));
  if (impl->is_active())
    impl->declared = runtime::hold_declared();
  auto shared = sharable(std::move(impl));
  if (shared->opener && !shared->lazy_opening)
    shared->opener->start();
  return shared;
}

Runtime::Runtime(std::span<const sartor_module> modules, const Options &options)
    : impl_(Impl::opened(
          modules, options,
          [modules](const runtime::Means &means) { return runtime::open_embedded(modules, means); },
          /*is_embedded=*/true)) {}

Runtime::Runtime(const std::filesystem::path &module, std::span<const sartor_module> symbols,
                 const Options &options)
    : impl_(Impl::opened(
          symbols, options,
          [module, symbols](const runtime::Means &means) {
            return runtime::open_file(module.string(), symbols, means);
          },
          /*is_embedded=*/false)) {}

Runtime::~Runtime() { (void)base::inside_handler(base::frame_of_caller()); }
Runtime::Runtime(Runtime &&) noexcept = default;
Runtime &Runtime::operator=(Runtime &&) noexcept = default;

const detail::EntryTarget &Runtime::find(void *function) {
  return *or_throw(impl_->entries.find(function));
}

const detail::EntryTarget &Runtime::find(std::string_view name,
                                         std::span<const detail::TypeForm> forms) {
  return *or_throw(impl_->entries.find(name, forms));
}

detail::Share Runtime::bind(const detail::EntryTarget &handler,
                            std::map<unsigned, BoundArgument> arguments) {
  return {*or_throw(impl_->bind(entry_of(handler), std::move(arguments))), impl_};
}

void Runtime::limit_bindings(const detail::EntryTarget &handler, std::size_t most,
                             std::vector<unsigned> least_selective_first) {
  or_throw(impl_->limit_bindings(entry_of(handler), most, std::move(least_selective_first)));
}

void Runtime::tie(std::string_view label, const Invariant &invariant) {
  (void)base::inside_handler(base::frame_of_caller());
  or_throw(impl_->tie(std::string(label), invariant.number()));
}

void Runtime::constrain(Constraints constraints) {
  or_throw(impl_->open_now());
  if (!impl_->is_active()) {
    const base::MutexLock lock(impl_->mutex);
    if (!impl_->is_active()) {
      impl_->constrained_while_opening = std::move(constraints);
      return;
    }
  }
  Space space = impl_->module->space;
  space.constrain(std::move(constraints));
  const base::MutexLock lock(impl_->mutex);
  impl_->space = std::move(space);
}

void *detail::entry_function(const EntryTarget &target) {
  RuntimeEntry &entry = entry_of(target);
  return or_throw(entry.owner.entries.function_of(entry, {}));
}

bool Runtime::active() const noexcept {
  (void)impl_->open_now();
  return impl_->is_active();
}
bool Runtime::opening() const noexcept { return impl_->is_opening(); }

std::vector<std::string> Runtime::handlers() const {
  std::vector<std::string> names;
  if (impl_->is_open())
    for (const auto &handler : impl_->module->handlers)
      names.push_back(handler.name);
  return names;
}

std::vector<VariantInfo> Runtime::specialize(const Configuration &configuration) {
  (void)base::inside_handler(base::frame_of_caller()); // ends sections left by longjmp()
  const runtime::Helper helper;                        // before a worker looks for one
  auto outcome = impl_->request(configuration, Impl::Purpose::activate);
  return runtime::get_helping(outcome);
}

std::future<std::vector<VariantInfo>>
Runtime::specialize_async(const Configuration &configuration) {
  return impl_->request(configuration, Impl::Purpose::activate);
}

std::future<std::vector<VariantInfo>> Runtime::prepare(const Configuration &configuration) {
  return impl_->request(configuration, Impl::Purpose::prepare);
}

Configuration Runtime::configuration() const {
  const base::MutexLock lock(impl_->mutex);
  return impl_->newest();
}

void Runtime::customize_pipeline(const Pipeline &pipeline) {
  if (!impl_->is_open())
    return;
  or_throw(or_throw(runtime::choose_compiler(
                        {impl_->options.compiler, impl_->options.compiler_server}, "a pipeline"))
               ->check_pipeline(pipeline));
  const base::MutexLock lock(impl_->mutex);
  impl_->pipeline = pipeline;
}

void Runtime::instrument(const std::map<std::string, unsigned> &every) {
  if (!impl_->is_open())
    return;
  auto before = impl_->profiles->instrumented();
  or_throw(impl_->profiles->set_instrumented({every.begin(), every.end()}));
  try {
    const runtime::Helper helper;
    auto outcome = impl_->request(std::nullopt, Impl::Purpose::activate);
    runtime::get_helping(outcome);
  } catch (const Error &) {
    (void)impl_->profiles->set_instrumented(std::move(before));
    throw;
  }
}

Profile Runtime::profile() const {
  return impl_->is_open() ? impl_->profiles->current() : Profile();
}

void Runtime::load_profile(const Profile &profile) {
  if (impl_->is_open())
    impl_->profiles->load(profile);
}

void Runtime::clear_profile() {
  if (impl_->is_open())
    impl_->profiles->clear();
}

Space Runtime::space() const {
  if (!impl_->is_open())
    return {};
  base::MutexLock lock(impl_->mutex);
  Space space = impl_->space;
  lock.unlock();
  impl_->generators.add_choices(space.points_);
  impl_->profiles->add_summaries(space.points_);
  return space;
}

void Runtime::add_custom(std::string kind, Generator generator, std::vector<Value> choices) {
  if (!generator)
    throw Error({ErrorCode::bad_generator, std::move(kind), "is given no generator",
                 "give a function that returns a GeneratedCode"});
  if (impl_->is_active() || impl_->is_opening())
    impl_->generators.add(kind, std::move(generator), std::move(choices));
}

std::string Runtime::content() const {
  if (!impl_->is_open())
    return {};
  return base::to_text(base::hash_of({impl_->module->identity, core::this_processor()}));
}

Statistics Runtime::statistics() const { return impl_->counted(); }

Statistics Runtime::Impl::counted() const {
  Statistics counts;
  {
    const base::MutexLock lock(mutex);
    counts = statistics;
    verifier.count(counts);
  }
  if (is_active()) {
    const auto usage = linker->usage();
    counts.variants = usage.variants;
    counts.code_bytes = usage.bytes;
    counts.resident_bytes = usage.resident_bytes;
    counts.reclaimed = usage.released;
    counts.guard_failures = guard_failures->by_label();
  }
  counts.waiting = runtime::retired_now();
  return counts;
}

void Runtime::log_event(std::string_view kind, std::string_view fields) const {
  if (impl_->events)
    impl_->events->append_text(kind, fields);
}

} // namespace sartor
