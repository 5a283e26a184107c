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
#include <sartor/configuration.hpp>
#include <sartor/error.hpp>
#include <sartor/generator.hpp>
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

/// The handler modules of the calling program or shared library. Hidden, so that each has its own.
[[gnu::visibility("hidden")]] inline std::span<const sartor_module> embedded_modules() {
  return {__start_sartor_modules, __stop_sartor_modules};
}

} // namespace detail

/// Counters of a runtime since it was opened.
struct Statistics {
  std::uint64_t compiles = 0; ///< Variants compiled, in both tiers.
  std::uint64_t staged = 0;   ///< Those made from the code of an earlier stage (Binding::bind()).
  std::uint64_t filled = 0; ///< First variants that were made from templates by filling in values.
  std::uint64_t cache_hits = 0;    ///< Requests answered from the code cache.
  std::uint64_t ahead_of_time = 0; ///< Variants whose code was in the program's file.
  std::uint64_t alike = 0; ///< Variants whose code was made for other memory with the same content.
  std::uint64_t disk_hits = 0;     ///< Variants whose code was found in Options::cache_directory.
  std::uint64_t disk_misses = 0;   ///< Variants whose code was looked for there, but not found.
  std::uint64_t shared_hits = 0;   ///< Variants whose code was found in Options::shared_cache.
  std::uint64_t shared_misses = 0; ///< Variants whose code was missing there, and compiled.
  std::uint64_t failures = 0;      ///< Requests that ended in an error.
  std::uint64_t switches = 0;    ///< Number of times that an entry was switched to another variant.
  std::uint64_t replugs = 0;     ///< Number of times that an invalidation deactivated a variant.
  std::uint64_t verified = 0;    ///< Calls that were compared with the native code.
  std::uint64_t differences = 0; ///< Variants that were quarantined because they differed.
  std::uint64_t reclaimed = 0;   ///< Variants whose memory was reclaimed.
  /// References to variants, of all runtimes of the process, that wait for calls to end. Grows
  /// while a call of a handler does not return; the event log then reports `stalled`.
  std::size_t waiting = 0;
  std::size_t variants = 0;   ///< Variants in memory now, retired ones included.
  std::size_t code_bytes = 0; ///< Bytes of machine code and its data in memory now.
  /// Memory taken by all of these: whole pages, and an estimate of the metadata kept elsewhere.
  std::size_t resident_bytes = 0;
  /// Number of failed guards since the start, by label. Counted without a lock: a lower bound if
  /// several threads fail at one guard.
  std::map<std::string, std::uint64_t> guard_failures;
};

/// The handler modules of a program, the code made from them, and the thread that compiles it.
///
/// Thread safety: every member function may be called from any thread, but not in signal handlers.
/// In destructors of static objects, requests that need a compilation fail with compile_failed.
/// Errors are thrown as Error, and change nothing. With SARTOR=off in the environment, handlers
/// always call the native code and specialize() does nothing. The same applies if
/// libsartor-compiler cannot be loaded, except that specialize() throws no_compiler.
class Runtime {
public:
  /// Opens the handler modules embedded in the calling program (or shared library) by
  /// sartor_add_handler(). Throws no_handler_module, bad_bitcode, wrong_target, wrong_llvm_version,
  /// conflicting_label, label_not_constant.
  [[gnu::always_inline]] explicit Runtime(const Options &options = {})
      : Runtime(detail::embedded_modules(), options) {}

  /// Opens a handler module from a file: LLVM bitcode or text. Its symbols are looked up among
  /// those of the embedded modules, then among the program's dynamic symbols. Throws file_error
  /// too.
  [[gnu::always_inline]] explicit Runtime(const std::filesystem::path &module,
                                          const Options &options = {})
      : Runtime(module, detail::embedded_modules(), options) {}

  Runtime(std::span<const sartor_module> modules, const Options &options);
  Runtime(const std::filesystem::path &module, std::span<const sartor_module> symbols,
          const Options &options);

  /// Waits for the compilation under way, if any. If bindings remain, their code and threads are
  /// released with the last of them. No handler may run or be called any more, except through
  /// bindings.
  ~Runtime();
  Runtime(Runtime &&) noexcept;
  Runtime &operator=(Runtime &&) noexcept;

  /// Returns a handler by its function: `runtime.handler<&matmul>()`. A member function that is not
  /// virtual takes a pointer to its object first. Throws unknown_handler.
  template <auto function> [[nodiscard]] auto handler() {
    using Signature = typename detail::FunctionType<decltype(function)>::type;
    return Handler<Signature>(find(detail::code_address(function)));
  }

  /// Returns a handler by its name (mangled, or as written in the source for a C function or a C++
  /// function that has no overloads). Throws unknown_handler, and wrong_signature if result and
  /// parameters differ in number, size or kind (integer, floating, pointer, object) from the
  /// handler's, as far as its module describes them.
  template <class Signature> [[nodiscard]] Handler<Signature> handler(std::string_view name) {
    return Handler<Signature>(find(name, detail::FunctionForms<Signature>::forms));
  }

  /// Returns the plain function of a handler (Handler::function()) by its name, for other
  /// languages: the caller knows its type. Throws unknown_handler, and point_not_specializable for
  /// a handler with a variable number of arguments. `forms`, unless empty, are compared as by
  /// handler(): throws wrong_signature too.
  [[nodiscard]] void *function(std::string_view name,
                               std::span<const detail::TypeForm> forms = {}) {
    return detail::entry_function(find(name, forms));
  }

  /// False with SARTOR=off, and without a compiler. Opens handlers that are opened lazily.
  [[nodiscard]] bool active() const noexcept;
  /// True if the runtime is inactive because its server is away, full or refusing: it becomes
  /// active, without a restart, once the server answers; the last requested configuration,
  /// constraints, bindings and generators take effect then. Also true if it is opened lazily
  /// (Options::lazy_opening), until its handlers are open. Thread-safe.
  [[nodiscard]] bool opening() const noexcept;
  /// Returns the points, with their possible settings and the results of instrumentation; and the
  /// constraints between them.
  [[nodiscard]] Space space() const;
  /// Sets the constraints between points; replaces earlier ones. Active variants stay active.
  /// Throws the errors of Space::constrain().
  void constrain(Constraints constraints);
  /// Names of all handlers of the module.
  [[nodiscard]] std::vector<std::string> handlers() const;

  /// Activates a configuration for every handler, and returns when its fully optimized variants are
  /// active. `specialize({})` returns to the generic code at once. If a newer request was made
  /// meanwhile, that one stays active. Throws the errors of Space::check(), unknown_custom_kind,
  /// bad_generator, generated_invalid_ir, no_clang, and not_constant, missing_symbol,
  /// too_many_bodies, compile_timeout, compile_failed, broken_by_pass, no_compiler.
  std::vector<VariantInfo> specialize(const Configuration &configuration);

  /// The same in the background. The future throws the errors of specialize().
  std::future<std::vector<VariantInfo>> specialize_async(const Configuration &configuration);

  /// Compiles a configuration into the cache, without activating it.
  std::future<std::vector<VariantInfo>> prepare(const Configuration &configuration);

  /// The active configuration, or the last requested one, which is being compiled.
  [[nodiscard]] Configuration configuration() const;

  /// Returns a handler with some arguments fixed: `runtime.bind<&match>(rules, sartor::_)` takes
  /// the remaining ones. Returns at once; calls run the native code until the variant is active.
  /// Scalars and objects that are copied by their bytes are bound by value, references by address.
  /// Throws unknown_handler, bad_binding, and the errors of specialize() about contexts.
  template <auto function, class... Given> [[nodiscard]] auto bind(Given &&...given) {
    using Signature = typename detail::FunctionType<decltype(function)>::type;
    using Bound = Binding<Signature, std::remove_cvref_t<Given>...>;
    static_assert(Bound::template keeps_no_temporary<Given...>(),
                  "a reference parameter is bound by address: give it an object that stays");
    auto kept = Bound::keep(given...);
    auto arguments = Bound::arguments(kept);
    return Bound(std::move(kept), bind(find(detail::code_address(function)), std::move(arguments)));
  }

  /// Binds a handler by its name, and arguments by the index of their parameter: the basis of the
  /// template above, for other languages.
  [[nodiscard]] detail::Share bind(std::string_view handler,
                                   std::map<unsigned, BoundArgument> arguments) {
    return bind(find(handler, {}), std::move(arguments));
  }

  /// Limits the number of contexts with bound arguments of a handler (1,024 by default). Beyond the
  /// limit, new bindings know fewer of their arguments: those that are not listed are dropped
  /// first, from the last, then those listed, in that order. Throws unknown_handler, bad_binding.
  template <auto function>
  void limit_bindings(std::size_t most, std::vector<unsigned> least_selective_first = {}) {
    limit_bindings(find(detail::code_address(function)), most, std::move(least_selective_first));
  }
  /// The same by the handler's name.
  void limit_bindings(std::string_view handler, std::size_t most,
                      std::vector<unsigned> least_selective_first = {}) {
    limit_bindings(find(handler, {}), most, std::move(least_selective_first));
  }

  /// Declares fields of an object that do not change while the Invariant lives:
  /// `runtime.invariant(connection, &Connection::key, sartor::through(&Connection::rules,
  /// &RuleSet::count))`. Throws bad_invariant.
  template <class T, class... Fields>
  [[nodiscard]] Invariant invariant(const T &object, Fields... fields) {
    Invariant result;
    result.add_fields(object, fields...);
    return result;
  }

  /// Declares fields of an object that usually do not change: like invariant(), but the
  /// QuasiInvariant may be invalidated, and become valid again. Throws bad_invariant.
  template <class T, class... Fields>
  [[nodiscard]] QuasiInvariant quasi_invariant(std::string name, const T &object,
                                               Fields... fields) {
    QuasiInvariant result(std::move(name));
    result.add_fields(object, fields...);
    return result;
  }

  /// Declares that a fast path's results are valid as long as `invariant` is. Variants that
  /// remember results are deactivated with it. Waits for calls under way, which may have seen
  /// earlier content of the memory. Throws unknown_label, bad_invariant, called_from_handler.
  void tie(std::string_view label, const Invariant &invariant);

  /// Sets the generator of the custom points of a kind, and the values that an exploration may set
  /// them to. Replaces an earlier generator; variants that it made stay active, but are not used
  /// again for later requests. Throws bad_generator if there is none.
  void add_custom(std::string kind, Generator generator, std::vector<Value> choices = {1});

  /// Instruments points, by label: after this returns, the input is counted at every n-th execution
  /// of a point (on average, at random); 1 is every time. Replaces earlier instrumentation; `{}`
  /// switches it off. Independent of the active configuration: instrumentation stays on when
  /// another one is activated. Throws unknown_label, bad_value_type (for 0),
  /// point_not_specializable (for inputs that are wider than 64 bits or more than four arguments),
  /// and the errors of specialize().
  void instrument(const std::map<std::string, unsigned> &every);

  /// The profile of all threads since the start or the last clear_profile(), plus loaded profiles.
  [[nodiscard]] Profile profile() const;
  /// Adds a profile made elsewhere. Throws wrong_profile, which names the first label that differs.
  void load_profile(const Profile &profile);
  /// Clears the profile. Calls under way may be counted before or after.
  void clear_profile();

  /// Uses `pipeline` to optimize all variants from now on. Throws bad_pipeline.
  void customize_pipeline(const Pipeline &pipeline);

  /// Identifies the handler modules and the kind of this machine: the same for replicas of one
  /// program on machines of one kind. Empty when inactive.
  [[nodiscard]] std::string content() const;

  [[nodiscard]] Statistics statistics() const;

  /// Writes a line to the event log, if there is one: `{"event": kind, ...fields}`. `fields` is the
  /// text of a JSON object.
  void log_event(std::string_view kind, std::string_view fields) const;

  struct Impl;

private:
  friend class RuntimeRotation;        ///< Measures for the explorer; src/runtime/rotating.cpp.
  friend class RuntimeQuasiInvariants; ///< Weighs quasi-invariants;
                                       ///< src/runtime/active_assumptions.cpp.
  friend class RuntimeOverrides;       ///< What an operator has overridden; src/runtime/control/.
  friend class FirstComparisons;       ///< Waits for them; src/runtime/verify/.

  [[nodiscard]] const detail::EntryTarget &find(void *function);
  /// `forms` describe the result and the parameters; empty if not known.
  [[nodiscard]] const detail::EntryTarget &find(std::string_view name,
                                                std::span<const detail::TypeForm> forms);
  [[nodiscard]] detail::Share bind(const detail::EntryTarget &handler,
                                   std::map<unsigned, BoundArgument> arguments);
  void limit_bindings(const detail::EntryTarget &handler, std::size_t most,
                      std::vector<unsigned> least_selective_first);

  std::shared_ptr<Impl> impl_; ///< Shared with bindings.
};

} // namespace sartor

#endif
