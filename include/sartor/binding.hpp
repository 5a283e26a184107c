// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BINDING_HPP
#define SARTOR_BINDING_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

#include <sartor/handler.hpp>
#include <sartor/value.hpp>

namespace sartor {

/// In the place of an argument that is not bound: `runtime.bind<&match>(rules, sartor::_)`.
struct Unbound {};
inline constexpr Unbound _{};

namespace detail {

struct BoundEntry;

/// One binding's share in the entry of its context. Made by Runtime; valid no longer than that.
class Share {
public:
  explicit Share(BoundEntry &entry); ///< Takes over one share.
  ~Share();
  Share(const Share &other);
  Share(Share &&other) noexcept
      : entry_(std::exchange(other.entry_, nullptr)), target_(other.target_) {}
  Share &operator=(Share other) noexcept {
    std::swap(entry_, other.entry_);
    std::swap(target_, other.target_);
    return *this;
  }
  [[nodiscard]] const EntryTarget &target() const noexcept { return *target_; }
  void wait() const;
  /// A plain function that passes `arguments` by itself and takes the others. Throws Error.
  [[nodiscard]] void *function(const std::map<unsigned, Value> &arguments) const;

private:
  BoundEntry *entry_; ///< Null once moved from.
  const EntryTarget *target_;
};

template <class T> constexpr bool is_unbound = std::is_same_v<std::remove_cvref_t<T>, Unbound>;

/// What a bound argument is kept as: references by address.
template <class Parameter> struct Kept {
  static_assert(std::is_reference_v<Parameter> || std::is_scalar_v<Parameter>,
                "only scalars and references can be bound");
  static_assert(!std::is_rvalue_reference_v<Parameter>, "an rvalue cannot be bound");
  using Type =
      std::conditional_t<std::is_reference_v<Parameter>, std::add_pointer_t<Parameter>, Parameter>;
  static Type keep(Parameter value) {
    if constexpr (std::is_reference_v<Parameter>)
      return &value;
    else
      return value;
  }
  static Value value(Type kept) {
    if constexpr (std::is_pointer_v<Type>)
      return Value(reinterpret_cast<std::uintptr_t>(kept));
    else
      return Value(kept);
  }
  static Parameter pass(Type kept) {
    if constexpr (std::is_reference_v<Parameter>)
      return static_cast<Parameter>(*kept);
    else
      return kept;
  }
};

template <> struct Kept<Unbound> {
  using Type = Unbound;
};
template <class Parameter, class Given>
using KeptOrNot = typename Kept<std::conditional_t<is_unbound<Given>, Unbound, Parameter>>::Type;

} // namespace detail

template <class Signature, class... Given> class Binding;

/// A handler with some arguments fixed: takes the remaining ones. Bindings with equal contexts
/// (handler, bound arguments, configuration in force when it was made, invariant memory) share one
/// variant, which is made in the background; until it is there, and if it cannot be made, calls run
/// the native code. The variant may go with the last of its bindings. Copies share it too.
///
/// Calls are as safe and nearly as cheap as those of a Handler. The binding must not be destroyed
/// while a thread calls it, and not outlive its Runtime; what bound pointers and references refer
/// to must stay.
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

  /// Waits until the variant is in force. Throws what specialize() throws, if it cannot be made.
  void wait() const { share_.wait(); }

private:
  friend class Runtime;
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

  static std::map<unsigned, Value> values(const KeptArguments &kept) {
    std::map<unsigned, Value> values;
    add_values(values, kept, std::index_sequence_for<A...>());
    return values;
  }
  template <std::size_t... I>
  static void add_values(std::map<unsigned, Value> &values, const KeptArguments &kept,
                         std::index_sequence<I...>) {
    (add_value<I, A>(values, std::get<I>(kept)), ...);
  }
  template <std::size_t I, class Parameter, class T>
  static void add_value(std::map<unsigned, Value> &values, const T &kept) {
    if constexpr (!detail::is_unbound<T>)
      values.emplace(static_cast<unsigned>(I), detail::Kept<Parameter>::value(kept));
  }

  // How many arguments before the one at `index` are not bound.
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
  template <class Rest, std::size_t... I>
  R call(R (*code)(A...), Rest rest, std::index_sequence<I...>) const {
    return code(argument<I, A>(rest)...);
  }

  KeptArguments kept_;
  detail::Share share_;
};

} // namespace sartor

#endif
