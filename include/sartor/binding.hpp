// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BINDING_HPP
#define SARTOR_BINDING_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <sartor/bound_argument.hpp>
#include <sartor/handler.hpp>
#include <sartor/variant_info.hpp>

namespace sartor {

/// Marks an argument that is not bound: `runtime.bind<&match>(rules, sartor::_)`.
struct Unbound {};
inline constexpr Unbound _{};

namespace detail {

struct BoundEntry;

/// One reference of a binding to the entry of its context. Created by Runtime, which it keeps
/// alive.
class Share {
public:
  Share(BoundEntry &entry, std::shared_ptr<void> runtime); ///< Takes over one reference.
  ~Share();
  Share(const Share &other);
  Share(Share &&other) noexcept
      : entry_(std::exchange(other.entry_, nullptr)), target_(other.target_),
        runtime_(std::move(other.runtime_)) {}
  Share &operator=(Share other) noexcept {
    std::swap(entry_, other.entry_);
    std::swap(target_, other.target_);
    std::swap(runtime_, other.runtime_);
    return *this;
  }
  [[nodiscard]] const EntryTarget &target() const noexcept { return *target_; }
  VariantInfo wait() const; // NOLINT(modernize-use-nodiscard): many only wait
  [[nodiscard]] bool ready() const noexcept;
  /// Binds `arguments`, which includes those bound earlier, in the same configuration. Throws
  /// Error.
  [[nodiscard]] Share further(std::map<unsigned, BoundArgument> arguments) const;
  /// Returns a plain function that passes `arguments` by itself and takes the others. Throws Error.
  [[nodiscard]] void *function(const std::map<unsigned, BoundArgument> &arguments) const;

private:
  BoundEntry *entry_; ///< Null after a move from this object.
  const EntryTarget *target_;
  std::shared_ptr<void> runtime_;
};

template <class T> constexpr bool is_unbound = std::is_same_v<std::remove_cvref_t<T>, Unbound>;

/// The stored form of a bound argument: references are stored as addresses.
template <class Parameter> struct Kept {
  static_assert(!std::is_rvalue_reference_v<Parameter>, "an rvalue cannot be bound");
  static_assert(std::is_reference_v<Parameter> ||
                    (std::is_trivially_copy_constructible_v<Parameter> &&
                     std::is_trivially_destructible_v<Parameter>),
                "what is bound by value must be copied by its bytes alone: pass it by reference");
  using Type =
      std::conditional_t<std::is_reference_v<Parameter>, std::add_pointer_t<Parameter>, Parameter>;
  static Type keep(Parameter value) {
    if constexpr (std::is_reference_v<Parameter>)
      return &value;
    else
      return value;
  }
  static BoundArgument argument(Type kept) {
    constexpr auto kind = form_of<std::remove_cv_t<Type>>().kind;
    if constexpr (std::is_pointer_v<Type>) {
      return reinterpret_cast<std::uintptr_t>(kept);
    } else if constexpr (std::is_null_pointer_v<Type>) {
      return 0;
    } else if constexpr (kind == TypeForm::Kind::integer || kind == TypeForm::Kind::floating) {
      return kept;
    } else {
#if __has_builtin(__builtin_clear_padding)
      __builtin_clear_padding(&kept); // so that equal objects are equal arguments
#endif
      return BoundArgument::object(&kept, sizeof kept);
    }
  }
  static Parameter pass(const Type &kept) {
    if constexpr (std::is_reference_v<Parameter>)
      return static_cast<Parameter>(*kept);
    else
      return kept;
  }
};

/// True if a bound reference refers to the given object, not to a temporary.
template <class Parameter, class Given> constexpr bool stays() {
  if constexpr (!std::is_reference_v<Parameter> || is_unbound<Given>)
    return true;
  else
    return std::is_lvalue_reference_v<Given> &&
           std::is_convertible_v<std::remove_reference_t<Given> *,
                                 std::remove_reference_t<Parameter> *>;
}

template <> struct Kept<Unbound> {
  using Type = Unbound;
};
template <class Parameter, class Given>
using KeptOrNot = typename Kept<std::conditional_t<is_unbound<Given>, Unbound, Parameter>>::Type;

} // namespace detail

template <class Signature, class... Given> class Binding;

/// A handler with some arguments fixed: takes the remaining ones. Bindings with equal contexts
/// (handler, bound arguments, configuration active when the binding was made, invariant memory)
/// share one variant, which is compiled in the background. Until it is ready, and if it cannot be
/// made, calls run the native code. The variant may be reclaimed with the last of its bindings.
/// Copies share it too.
///
/// Calls are as safe and nearly as cheap as those of a Handler. The binding must not be destroyed
/// while a thread calls it; objects behind bound pointers and references must outlive it. It may
/// outlive its Runtime, whose code and threads then stay until the last binding is destroyed.
template <class R, class... A, class... Given> class Binding<R(A...), Given...> {
public:
  static_assert(sizeof...(A) == sizeof...(Given), "give each argument a value, or sartor::_");

  template <class... Rest>
    requires(sizeof...(Rest) == (std::size_t{detail::is_unbound<Given>} + ... + 0))
  R operator()(Rest &&...rest) const {
    const detail::ReadSection section((std::is_scalar_v<std::remove_cvref_t<Rest>> && ...));
    const auto code =
        reinterpret_cast<R (*)(A...)>(share_.target().code.load(std::memory_order_acquire));
    return call(code, std::forward_as_tuple(std::forward<Rest>(rest)...),
                std::index_sequence_for<A...>());
  }

  /// Binds some of the remaining arguments: `opened.bind(&connection, sartor::_)`. The result
  /// equals one that binds all arguments at once, in the configuration of this binding; it depends
  /// on the invariants declared now. If possible, it is compiled from the specialized code of this
  /// binding, so work done for this binding is shared by all that are made from it. This binding
  /// may be destroyed afterwards. Throws the errors of Runtime::bind().
  template <class... More>
    requires(sizeof...(More) == (std::size_t{detail::is_unbound<Given>} + ... + 0))
  [[nodiscard]] auto bind(More &&...more) const {
    return bind_further(std::forward_as_tuple(std::forward<More>(more)...),
                        std::index_sequence_for<A...>());
  }

  /// Waits until the variant is active and describes it as it was when first activated. Throws the
  /// errors of specialize() if the variant cannot be made.
  VariantInfo wait() const { return share_.wait(); } // NOLINT(modernize-use-nodiscard)

  /// True if wait() returns at once: the variant is active or cannot be made. Takes some
  /// nanoseconds and never blocks, so handlers may call it.
  [[nodiscard]] bool ready() const noexcept { return share_.ready(); }

private:
  friend class Runtime;
  template <class Signature, class... Others> friend class Binding;
  using KeptArguments = std::tuple<detail::KeptOrNot<A, Given>...>;

  Binding(KeptArguments kept, detail::Share share)
      : kept_(std::move(kept)), share_(std::move(share)) {}

  template <class... T> static KeptArguments keep(T &...given) {
    return KeptArguments(keep_one<A>(given)...);
  }

  template <class Parameter, class T> static auto keep_one(T &given) {
    if constexpr (detail::is_unbound<T>)
      return Unbound();
    else
      return detail::Kept<Parameter>::keep(static_cast<Parameter>(given));
  }

  template <class... T> static constexpr bool keeps_no_temporary() {
    return (detail::stays<A, T>() && ...);
  }

  static std::map<unsigned, BoundArgument> arguments(const KeptArguments &kept) {
    std::map<unsigned, BoundArgument> arguments;
    add_arguments(arguments, kept, std::index_sequence_for<A...>());
    return arguments;
  }
  template <std::size_t... I>
  static void add_arguments(std::map<unsigned, BoundArgument> &arguments, const KeptArguments &kept,
                            std::index_sequence<I...>) {
    (add_argument<I, A>(arguments, std::get<I>(kept)), ...);
  }
  template <std::size_t I, class Parameter, class T>
  static void add_argument(std::map<unsigned, BoundArgument> &arguments, const T &kept) {
    if constexpr (!detail::is_unbound<T>)
      arguments.emplace(static_cast<unsigned>(I), detail::Kept<Parameter>::argument(kept));
  }

  // Returns the number of unbound arguments before the one at `index`.
  static constexpr std::size_t place(std::size_t index) {
    constexpr std::array<bool, sizeof...(A) + 1> unbound{detail::is_unbound<Given>..., false};
    std::size_t place = 0;
    for (std::size_t i = 0; i < index; ++i)
      place += unbound[i] ? 1 : 0;
    return place;
  }
  template <std::size_t I, class Parameter, class Rest> decltype(auto) argument(Rest &rest) const {
    if constexpr (detail::is_unbound<std::tuple_element_t<I, std::tuple<Given...>>>)
      return std::get<place(I)>(std::move(rest));
    else
      return detail::Kept<Parameter>::pass(std::get<I>(kept_));
  }
  template <std::size_t I>
  static constexpr bool is_left = detail::is_unbound<std::tuple_element_t<I, std::tuple<Given...>>>;
  template <std::size_t I, class More>
  using GivenSoFar = typename std::conditional_t<is_left<I>, std::tuple_element<place(I), More>,
                                                 std::tuple_element<I, std::tuple<Given...>>>::type;

  template <class More, std::size_t... I>
  auto bind_further(More more, std::index_sequence<I...>) const {
    using Further = Binding<R(A...), std::remove_cvref_t<GivenSoFar<I, More>>...>;
    static_assert(((!is_left<I> || detail::stays<A, GivenSoFar<I, More>>()) && ...),
                  "a reference parameter is bound by address: give it an object that stays");
    typename Further::KeptArguments kept(keep_further<I, A>(more)...);
    auto arguments = Further::arguments(kept);
    return Further(std::move(kept), share_.further(std::move(arguments)));
  }
  template <std::size_t I, class Parameter, class More> auto keep_further(More &more) const {
    if constexpr (is_left<I>)
      return keep_one<Parameter>(std::get<place(I)>(more));
    else
      return std::get<I>(kept_);
  }

  template <class Rest, std::size_t... I>
  R call(R (*code)(A...), Rest rest, std::index_sequence<I...>) const {
    return code(argument<I, A>(rest)...);
  }

  KeptArguments kept_;
  detail::Share share_;
};

} // namespace sartor

#endif
