// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_HANDLER_HPP
#define SARTOR_HANDLER_HPP

#include <atomic>
#include <type_traits>
#include <utility>

#include <sartor/read_section.hpp>

namespace sartor {

namespace detail {

/// What a handle sees of an entry: where the variant in force begins.
struct EntryTarget {
  std::atomic<void *> code;
};

/// A plain function, of the handler's own type, that goes to the variant in force. Made the first
/// time it is asked for. Throws Error.
void *entry_function(const EntryTarget &target);

template <class F> struct FunctionType;
template <class R, class... A> struct FunctionType<R (*)(A...)> {
  using type = R(A...);
};
template <class R, class... A> struct FunctionType<R (*)(A...) noexcept> {
  using type = R(A...);
};

} // namespace detail

template <class Signature> class Handler;

/// A handler as the program calls it: goes to the variant in force. Copy it freely; it is valid as
/// long as its Runtime. Calls are safe from any thread at any time, also while another thread
/// switches the variant; a call costs a few instructions over a call through a function pointer.
/// A handler may be left by an exception, by pthread_exit(), and by longjmp() to a frame of the
/// same stack: that call counts as under way until its thread calls a handler, specialize() or
/// invalidate() from there.
template <class R, class... A> class Handler<R(A...)> {
public:
  R operator()(A... arguments) const {
    const detail::ReadSection section((std::is_trivially_copyable_v<A> && ...));
    const auto code = reinterpret_cast<R (*)(A...)>(target_->code.load(std::memory_order_acquire));
    return code(std::forward<A>(arguments)...);
  }

  /// A plain function that never changes and leads to the variant in force: for C callbacks and
  /// function tables. Compiled the first time it is asked for; valid as long as the Runtime.
  /// Throws point_not_specializable for a handler with a variable number of arguments.
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
