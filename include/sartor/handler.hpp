// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_HANDLER_HPP
#define SARTOR_HANDLER_HPP

#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <sartor/read_section.hpp>
#include <sartor/type_form.hpp>

namespace sartor {

namespace detail {

/// The part of an entry that a handle sees: the address of the active variant.
struct EntryTarget {
  std::atomic<void *> code;
};

/// Returns a plain function, of the handler's own type, that calls the active variant. Compiled at
/// the first request. Throws Error.
void *entry_function(const EntryTarget &target);

/// The type under which a function is called: member functions take their object first, as in the
/// platform's calling convention.
template <class F> struct FunctionType;
template <class R, class... A> struct FunctionType<R (*)(A...)> {
  using type = R(A...);
};
template <class R, class... A> struct FunctionType<R (*)(A...) noexcept> {
  using type = R(A...);
};
template <class R, class C, class... A> struct FunctionType<R (C::*)(A...)> {
  using type = R(C *, A...);
};
template <class R, class C, class... A> struct FunctionType<R (C::*)(A...) noexcept> {
  using type = R(C *, A...);
};
template <class R, class C, class... A> struct FunctionType<R (C::*)(A...) const> {
  using type = R(const C *, A...);
};
template <class R, class C, class... A> struct FunctionType<R (C::*)(A...) const noexcept> {
  using type = R(const C *, A...);
};

/// The address of a function's code; null for a virtual function, which each class may override.
template <class F> void *code_address(F function) {
  if constexpr (std::is_member_function_pointer_v<F>) {
    std::uintptr_t word = 0; // the Itanium C++ ABI: the address, or an odd offset into the table
    std::memcpy(&word, &function, sizeof word);
    return word % 2 == 0 ? reinterpret_cast<void *>(word) : nullptr;
  } else {
    return reinterpret_cast<void *>(function);
  }
}

} // namespace detail

template <class Signature> class Handler;

/// A handler as the program calls it: calls the active variant. Copy it freely; it is valid as long
/// as its Runtime. Calls are safe from any thread at any time, also while another thread switches
/// the variant, in signal handlers, and in destructors of thread-local and static objects; a call
/// costs a few instructions over a call through a function pointer. A handler may be left by an
/// exception, by pthread_exit(), and by longjmp() to a frame of the same stack: that call counts as
/// under way until its thread calls a handler, specialize() or invalidate() from there.
template <class R, class... A> class Handler<R(A...)> {
public:
  R operator()(A... arguments) const {
    const detail::ReadSection section((std::is_trivially_copyable_v<A> && ...));
    const auto code = reinterpret_cast<R (*)(A...)>(target_->code.load(std::memory_order_acquire));
    return code(std::forward<A>(arguments)...);
  }

  /// A plain function pointer that never changes and calls the active variant: for C callbacks and
  /// function tables. Compiled at the first request; valid as long as the Runtime. Throws
  /// point_not_specializable for a handler with a variable number of arguments.
  [[nodiscard]] auto function() const -> R (*)(A...) {
    return reinterpret_cast<R (*)(A...)>(detail::entry_function(*target_));
  }

private:
  friend class Runtime;
  explicit Handler(const detail::EntryTarget &target) : target_(&target) {}

  const detail::EntryTarget *target_;
};

} // namespace sartor

#endif
