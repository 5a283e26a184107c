// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_HPP
#define SARTOR_RUNTIME_HPP

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/binding.hpp>
#include <sartor/builder.hpp>
#include <sartor/configuration.hpp>
#include <sartor/error.hpp>
#include <sartor/handler.hpp>
#include <sartor/invariant.hpp>
#include <sartor/module.h>
#include <sartor/options.hpp>
#include <sartor/profile.hpp>
#include <sartor/quasi_invariant.hpp>
#include <sartor/space.hpp>
#include <sartor/variant_info.hpp>

namespace sartor {

namespace detail {

/// The handler modules of this very program or shared library (not of another one's, hence hidden).
[[gnu::visibility("hidden")]] inline std::span<const sartor_module> embedded_modules() {
  return {__start_sartor_modules, __stop_sartor_modules};
}

} // namespace detail

/// What a runtime has done so far.
struct Statistics {
  std::uint64_t compiles = 0;   ///< Variants compiled, both tiers counted.
  std::uint64_t staged = 0;     ///< Of these, from the code of an earlier stage (Binding::bind()).
  std::uint64_t filled = 0;     ///< First variants that were templates with their values filled in.
  std::uint64_t cache_hits = 0; ///< Requests answered from the code cache.
  std::uint64_t made_beforehand = 0; ///< Variants whose code the program had in its file.
  std::uint64_t alike = 0; ///< Variants whose code was made for other memory with the same in it.
  std::uint64_t disk_hits = 0;     ///< Variants whose code was found in Options::cache_directory.
  std::uint64_t disk_misses = 0;   ///< Variants whose code was looked for there in vain.
  std::uint64_t shared_hits = 0;   ///< Variants whose code was found in Options::shared_cache.
  std::uint64_t shared_misses = 0; ///< Variants whose code was looked for there, and compiled.
  std::uint64_t failures = 0;      ///< Requests that ended in an error.
  std::uint64_t switches = 0;      ///< Times that an entry was led to another variant.
  std::uint64_t replugs = 0;       ///< Times that a broken promise took a variant out of force.
  std::uint64_t reclaimed = 0;     ///< Variants whose memory was given back.
  /// References to variants, of all runtimes of the process, that wait for calls to end. It grows
  /// while a call of a handler does not return; the event log then says `stalled`.
  std::size_t waiting = 0;
  std::size_t variants = 0;   ///< Variants in memory now, retired ones included.
  std::size_t code_bytes = 0; ///< Bytes of machine code and its data in memory now.
  /// Bytes that all of that takes in memory: whole pages, and what is kept about it elsewhere,
  /// which is estimated.
  std::size_t resident_bytes = 0;
  /// Guards that failed since the start, by label. Counted without a lock: a lower bound when
  /// several threads fail at one guard.
  std::map<std::string, std::uint64_t> guard_failures;
};

/// The handler modules of a program, the code made from them, and the thread that makes it.
///
/// Thread safety: every member function may be called from any thread, but not in signal handlers.
/// In destructors of static objects, what must be compiled fails with compile_failed. Errors are
/// thrown as Error, and leave everything as it was. With SARTOR=off in the environment, handlers
/// lead to the native code for ever and specialize() does nothing. So it is where
/// libsartor-compiler cannot be loaded, but that specialize() throws no_compiler.
class Runtime {
public:
  /// The handler modules embedded in the calling program (or shared library) by
  /// sartor_add_handler(). Throws no_handler_module, bad_bitcode, wrong_target,
  /// wrong_llvm_version, conflicting_label, label_not_constant.
  [[gnu::always_inline]] explicit Runtime(const Options &options = {})
      : Runtime(detail::embedded_modules(), options) {}

  /// A handler module from a file: LLVM bitcode or text. Its symbols are looked up among those of
  /// the embedded modules, then among the program's dynamic symbols. Throws file_error too.
  [[gnu::always_inline]] explicit Runtime(const std::filesystem::path &module,
                                          const Options &options = {})
      : Runtime(module, detail::embedded_modules(), options) {}

  Runtime(std::span<const sartor_module> modules, const Options &options);
  Runtime(const std::filesystem::path &module, std::span<const sartor_module> symbols,
          const Options &options);

  /// Waits for the compile under way, if any, unless bindings are left: what they need goes with
  /// the last of them. No handler may run or be called any more, except through bindings.
  ~Runtime();
  Runtime(Runtime &&) noexcept;
  Runtime &operator=(Runtime &&) noexcept;

  /// A handler by its function: `runtime.handler<&matmul>()`. A member function that is not virtual
  /// takes a pointer to its object first. Throws unknown_handler.
  template <auto function> [[nodiscard]] auto handler() {
    using Signature = typename detail::FunctionType<decltype(function)>::type;
    return Handler<Signature>(find(detail::code_address(function)));
  }

  /// A handler by its name (mangled, or as written in the source for a C function or a C++
  /// function that has no overloads). Throws unknown_handler, and wrong_signature if result and
  /// parameters are not as many, or not of the sizes and kinds (integer, floating, pointer, object)
  /// that the handler has, as far as its module tells.
  template <class Signature> [[nodiscard]] Handler<Signature> handler(std::string_view name) {
    return Handler<Signature>(find(name, detail::FunctionForms<Signature>::forms));
  }

  /// The plain function of a handler (Handler::function()) by its name, for other languages:
  /// whoever calls it knows its type. Throws unknown_handler, and point_not_specializable for a
  /// handler with a variable number of arguments.
  /// `forms`, unless empty, are compared as by handler(): throws wrong_signature too.
  [[nodiscard]] void *function(std::string_view name,
                               std::span<const detail::TypeForm> forms = {}) {
    return detail::entry_function(find(name, forms));
  }

  /// False with SARTOR=off, and where there is no compiler.
  [[nodiscard]] bool active() const noexcept;
  /// Whether it is inactive because its server is away, full or refusing. It becomes active,
  /// without a restart, once the server answers; the configuration that was asked for last,
  /// constraints, bindings and generators take effect then. Thread-safe.
  [[nodiscard]] bool opening() const noexcept;
  /// The points: what they may be set to, and what instrumentation has seen at them; and the
  /// constraints between them.
  [[nodiscard]] Space space() const;
  /// Sets what keeps points from being set independently of each other; replaces what was set
  /// before. What is in force stays in force. Throws as Space::constrain().
  void constrain(Constraints constraints);
  /// Names of all handlers of the module.
  [[nodiscard]] std::vector<std::string> handlers() const;

  /// Puts a configuration in force for every handler, and returns when its fully optimised
  /// variants are. `specialize({})` goes back to the generic code at once. If a newer request has
  /// come meanwhile, that one stays in force.
  /// Throws what Space::check() finds, unknown_custom_kind, bad_generator, generated_invalid_ir,
  /// no_clang, and not_constant, missing_symbol, too_many_bodies,
  /// compile_timeout, compile_failed, broken_by_pass, no_compiler.
  std::vector<VariantInfo> specialize(const Configuration &configuration);

  /// The same in the background. The future throws what specialize() would.
  std::future<std::vector<VariantInfo>> specialize_async(const Configuration &configuration);

  /// Compiles a configuration into the cache, without putting it in force.
  std::future<std::vector<VariantInfo>> prepare(const Configuration &configuration);

  /// What is in force, or was asked for last and is being compiled.
  [[nodiscard]] Configuration configuration() const;

  /// A handler with some arguments fixed: `runtime.bind<&match>(rules, sartor::_)` takes what is
  /// left. Returns at once; calls run the native code until the variant is in force. Scalars and
  /// objects that are copied by their bytes are bound by value, references by address. Throws
  /// unknown_handler, bad_binding, and what context errors specialize() throws.
  template <auto function, class... Given> [[nodiscard]] auto bind(Given &&...given) {
    using Signature = typename detail::FunctionType<decltype(function)>::type;
    using Bound = Binding<Signature, std::remove_cvref_t<Given>...>;
    static_assert(Bound::template keeps_no_temporary<Given...>(),
                  "a reference parameter is bound by address: give it an object that stays");
    auto kept = Bound::keep(given...);
    auto arguments = Bound::arguments(kept);
    return Bound(std::move(kept), bind(find(detail::code_address(function)), std::move(arguments)));
  }

  /// A handler by its name, and bound arguments by the index of their parameter: what the template
  /// above is made of, for other languages.
  [[nodiscard]] detail::Share bind(std::string_view handler,
                                   std::map<unsigned, BoundArgument> arguments) {
    return bind(find(handler, {}), std::move(arguments));
  }

  /// How many contexts with bound arguments a handler may have at once (1,024 by default). Past
  /// that, new bindings know fewer of their arguments: those that are not listed go first, from the
  /// last, then those listed, in that order. Throws unknown_handler, bad_binding.
  template <auto function>
  void limit_bindings(std::size_t most, std::vector<unsigned> least_telling_first = {}) {
    limit_bindings(find(detail::code_address(function)), most, std::move(least_telling_first));
  }
  /// The same by the handler's name.
  void limit_bindings(std::string_view handler, std::size_t most,
                      std::vector<unsigned> least_telling_first = {}) {
    limit_bindings(find(handler, {}), most, std::move(least_telling_first));
  }

  /// Fields of an object that do not change while the Invariant lives:
  /// `runtime.invariant(connection, &Connection::key, sartor::through(&Connection::rules,
  /// &RuleSet::count))`. Throws bad_invariant.
  template <class T, class... Fields>
  [[nodiscard]] Invariant invariant(const T &object, Fields... fields) {
    Invariant promised;
    promised.add_fields(object, fields...);
    return promised;
  }

  /// Fields of an object that usually do not change: as invariant(), but the QuasiInvariant may
  /// break, and hold again. Throws bad_invariant.
  template <class T, class... Fields>
  [[nodiscard]] QuasiInvariant quasi_invariant(std::string name, const T &object,
                                               Fields... fields) {
    QuasiInvariant fact(std::move(name));
    fact.add_fields(object, fields...);
    return fact;
  }

  /// A fast path's results hold as long as `invariant` does. Variants that remember results go out
  /// of force with it. Waits for calls under way, which may have seen what was before the promise.
  /// Throws unknown_label, bad_invariant, called_from_handler.
  void tie(std::string_view label, const Invariant &invariant);

  /// Says how the custom points of a kind are built from now on, and what an exploration may set
  /// them to. Replaces an earlier generator; variants that it made stay in force, but are not used
  /// again for later requests. Throws bad_generator if there is none.
  void add_custom(std::string kind, Generator generator, std::vector<Value> choices = {1});

  /// Instruments points, by label: from when this returns, every n-th time (on average, at random)
  /// that control comes by one of them, what it sees is counted; 1 is every time. Replaces what was
  /// instrumented before; `{}` switches it off. Any configuration may be in force, and others may
  /// be put in force: instrumentation stays on. Throws unknown_label, bad_value_type (for 0),
  /// point_not_specializable (for what is wider than 64 bits or takes more than four arguments),
  /// and what specialize() throws.
  void instrument(const std::map<std::string, unsigned> &every);

  /// What all threads have seen since the start or the last clear_profile(), and what was loaded.
  [[nodiscard]] Profile profile() const;
  /// Adds what was seen elsewhere. Throws wrong_profile, which names the first label that differs.
  void load_profile(const Profile &profile);
  /// Forgets it all. Calls under way may be counted before or after.
  void clear_profile();

  /// Optimises all variants from now on as `pipeline` says. Throws bad_pipeline.
  void customize_pipeline(const Pipeline &pipeline);

  /// Names the handler modules and the kind of this machine: the same for replicas of one program
  /// on machines of one kind. Empty when inactive.
  [[nodiscard]] std::string content() const;

  [[nodiscard]] Statistics statistics() const;

  /// Writes a line to the event log, if there is one: `{"event": kind, ...fields}`. `fields` is a
  /// JSON object's text.
  void log_event(std::string_view kind, std::string_view fields) const;

  struct Impl;

private:
  friend class RuntimeRotation; ///< Measures for the explorer; src/runtime/rotating.cpp.
  friend class RuntimeFacts;    ///< Weighs facts; src/runtime/facts_in_force.cpp.

  [[nodiscard]] const detail::EntryTarget &find(void *function);
  /// `forms`: of the result and the parameters; empty if nobody knows.
  [[nodiscard]] const detail::EntryTarget &find(std::string_view name,
                                                std::span<const detail::TypeForm> forms);
  [[nodiscard]] detail::Share bind(const detail::EntryTarget &handler,
                                   std::map<unsigned, BoundArgument> arguments);
  void limit_bindings(const detail::EntryTarget &handler, std::size_t most,
                      std::vector<unsigned> least_telling_first);

  std::shared_ptr<Impl> impl_; ///< Shared with bindings.
};

} // namespace sartor

#endif
