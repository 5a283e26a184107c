// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_HPP
#define SARTOR_INVARIANT_HPP

#include <cstddef>
#include <cstdint>
#include <tuple>

#include <sartor/error.hpp>

namespace sartor {

/// A promise that the bytes of some memory do not change while this object lives. Variants made
/// meanwhile, by any Runtime of the process, have loads from it folded into constants; pointers
/// in it are followed into other invariant memory. Owns the promise, not the memory. Movable; what
/// is assigned to takes its old promise back first.
///
/// Before the memory is changed or freed, call invalidate() (or destroy the object): no variant
/// that leans on it is in force when that returns, and no thread reads it on its account. Within a
/// handler, call invalidate_later(). Thread-safe, but for moving and adding.
class Invariant {
public:
  /// Promises nothing.
  Invariant() = default;
  /// Bytes of `memory`, which may overlap other promises. Throws bad_invariant if size is zero.
  Invariant(const void *memory, std::size_t size) { add(memory, size); }
  /// As invalidate(). Within a handler it cannot wait: that is told by the event
  /// `invariant_not_waited_for`, unless invalidate_later() was called before.
  ~Invariant();
  Invariant(Invariant &&other) noexcept;
  Invariant &operator=(Invariant &&other) noexcept;

  /// Promises more memory along with this. Throws bad_invariant.
  void add(const void *memory, std::size_t size);

  /// Promises a part of an object, to which pointers into the object lead, wherever the part
  /// begins. Sizes in bytes. Throws bad_invariant if the part is empty or not within the object.
  void add_part(const void *object, std::size_t object_size, const void *part, std::size_t size);

  /// Promises fields of an object: members, or through().
  template <class T, class... Fields> void add_fields(const T &object, Fields... fields);

  /// Takes the promise back: every variant built on it is taken out of force, and no thread is
  /// inside one any more when this returns. Idempotent. Throws called_from_handler, having changed
  /// nothing.
  void invalidate();

  /// Takes the promise back without waiting, within a handler too: no call that begins after this
  /// has returned runs code built on it. Calls that began before, that of the caller among them,
  /// may be in such code until they return; reusable() tells when none is.
  void invalidate_later();

  /// Whether nothing is promised, and nobody is inside code built on what was, or reads its memory
  /// on a compiling thread. A handler that is not left keeps this false.
  [[nodiscard]] bool reusable() const noexcept;

  /// False once invalidated, or if nothing was ever promised.
  [[nodiscard]] bool holds() const noexcept;

  /// The number of the promise, which is never used again; 0 if nothing was ever promised.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

private:
  std::uint64_t number_ = 0;
};

/// A field that is reached through a pointer field, which is invariant itself:
/// `through(&Connection::rules, &RuleSet::count)`.
template <class... Members> struct Path {
  std::tuple<Members...> members;
};
template <class... Members> Path<Members...> through(Members... members) { return {{members...}}; }

namespace detail {

// `Promised` is what pieces of memory are added to.
template <class Promised, class T, class M>
void promise(Promised &promised, const T &object, M T::*member) {
  promised.add_part(&object, sizeof object, static_cast<const void *>(&(object.*member)),
                    sizeof(M));
}
template <class Promised, class T, class First, class... Rest>
void promise_path(Promised &promised, const T &object, First first, Rest... rest) {
  promise(promised, object, first);
  if constexpr (sizeof...(Rest) > 0)
    if (object.*first)
      promise_path(promised, *(object.*first), rest...);
}
template <class Promised, class T, class... Members>
void promise(Promised &promised, const T &object, const Path<Members...> &path) {
  std::apply([&](auto... members) { promise_path(promised, object, members...); }, path.members);
}

} // namespace detail

template <class T, class... Fields> void Invariant::add_fields(const T &object, Fields... fields) {
  (detail::promise(*this, object, fields), ...);
}

} // namespace sartor

#endif
