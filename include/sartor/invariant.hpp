// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_HPP
#define SARTOR_INVARIANT_HPP

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <sartor/error.hpp>

namespace sartor {

/// A promise that the bytes of some memory do not change while this object lives. Variants made
/// meanwhile, by any Runtime of the process, have loads from it folded into constants; pointers
/// in it are followed into other invariant memory. Owns the promise, not the memory. Movable.
///
/// Before the memory is changed or freed, call invalidate() (or destroy the object): no variant
/// that leans on it is in force when that returns. Thread-safe; not from within a handler.
class Invariant {
public:
  /// Promises nothing.
  Invariant() = default;
  /// Bytes of `memory`, which may overlap other promises. Throws bad_invariant if size is zero.
  Invariant(const void *memory, std::size_t size) { add(memory, size); }
  ~Invariant();
  Invariant(Invariant &&other) noexcept;
  Invariant &operator=(Invariant &&other) noexcept;

  /// Promises more memory along with this. Throws bad_invariant.
  void add(const void *memory, std::size_t size);

  /// Takes the promise back: every variant built on it is taken out of force, and no thread is
  /// inside one any more when this returns. Idempotent. Throws called_from_handler, having changed
  /// nothing.
  void invalidate();

  /// False once invalidated, or if nothing was ever promised.
  [[nodiscard]] bool holds() const noexcept { return !promises_.empty(); }

  /// The numbers of the promises, for Runtime::tie() and generators.
  [[nodiscard]] const std::vector<std::uint64_t> &promises() const noexcept { return promises_; }

private:
  std::vector<std::uint64_t> promises_;
};

/// A field that is reached through a pointer field, which is invariant itself:
/// `through(&Connection::rules, &RuleSet::count)`.
template <class... Members> struct Path {
  std::tuple<Members...> members;
};
template <class... Members> Path<Members...> through(Members... members) { return {{members...}}; }

namespace detail {

template <class T, class M> void promise(Invariant &invariant, const T &object, M T::*member) {
  invariant.add(static_cast<const void *>(&(object.*member)), sizeof(M));
}
template <class T, class First, class... Rest>
void promise_path(Invariant &invariant, const T &object, First first, Rest... rest) {
  promise(invariant, object, first);
  if constexpr (sizeof...(Rest) > 0)
    if (object.*first)
      promise_path(invariant, *(object.*first), rest...);
}
template <class T, class... Members>
void promise(Invariant &invariant, const T &object, const Path<Members...> &path) {
  std::apply([&](auto... members) { promise_path(invariant, object, members...); }, path.members);
}

} // namespace detail

} // namespace sartor

#endif
