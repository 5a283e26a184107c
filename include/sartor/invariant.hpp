// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_HPP
#define SARTOR_INVARIANT_HPP

#include <cstddef>
#include <cstdint>
#include <tuple>

#include <sartor/error.hpp>

namespace sartor {

/// Declares that the bytes of some memory do not change while this object lives. In variants made
/// meanwhile, by any Runtime of the process, loads from it are folded into constants; pointers in
/// it are followed into other invariant memory. Owns the declaration, not the memory. Movable; the
/// target of an assignment is invalidated first.
///
/// Before the memory is changed or freed, call invalidate() (or destroy the object): when it
/// returns, no variant that depends on the memory is active, and no thread reads the memory for
/// one. Within a handler, call invalidate_later(). Thread-safe, except for moving and adding.
class Invariant {
public:
  /// Declares nothing.
  Invariant() = default;
  /// Declares `size` bytes at `memory`, which may overlap other invariants. Throws bad_invariant if
  /// size is zero.
  Invariant(const void *memory, std::size_t size) { add(memory, size); }
  /// Calls invalidate(). Within a handler it cannot wait: the event `invariant_not_waited_for`
  /// reports this, unless invalidate_later() was called before.
  ~Invariant();
  Invariant(Invariant &&other) noexcept;
  Invariant &operator=(Invariant &&other) noexcept;

  /// Adds memory to this invariant. Throws bad_invariant.
  void add(const void *memory, std::size_t size);

  /// Adds a part of an object, which is reached through pointers to the object, wherever the part
  /// begins. Sizes in bytes. Throws bad_invariant if the part is empty or not within the object.
  void add_part(const void *object, std::size_t object_size, const void *part, std::size_t size);

  /// Adds fields of an object: members, or through().
  template <class T, class... Fields> void add_fields(const T &object, Fields... fields);

  /// Revokes the invariant: every variant that depends on it is deactivated, and no thread is
  /// inside one any more when this returns. Idempotent. Throws called_from_handler, having changed
  /// nothing.
  void invalidate();

  /// Revokes the invariant without waiting, also within a handler: no call that begins after this
  /// has returned runs code that depends on it. Calls that began before, including the caller's,
  /// may be in such code until they return; reusable() is true when none is.
  void invalidate_later();

  /// True if no memory is declared, no thread is inside code that depended on it, and no compiling
  /// thread reads its memory. A handler that does not return keeps this false.
  [[nodiscard]] bool reusable() const noexcept;

  /// False once invalidated, or if nothing was ever declared.
  [[nodiscard]] bool valid() const noexcept;

  /// The number of the invariant, which is never reused; 0 if nothing was ever declared.
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

// `Declared` is the object that memory is added to: an Invariant or a QuasiInvariant.
template <class Declared, class T, class M>
void declare_field(Declared &declared, const T &object, M T::*member) {
  declared.add_part(&object, sizeof object, static_cast<const void *>(&(object.*member)),
                    sizeof(M));
}
template <class Declared, class T, class First, class... Rest>
void declare_path(Declared &declared, const T &object, First first, Rest... rest) {
  declare_field(declared, object, first);
  if constexpr (sizeof...(Rest) > 0)
    if (object.*first)
      declare_path(declared, *(object.*first), rest...);
}
template <class Declared, class T, class... Members>
void declare_field(Declared &declared, const T &object, const Path<Members...> &path) {
  std::apply([&](auto... members) { declare_path(declared, object, members...); }, path.members);
}

} // namespace detail

template <class T, class... Fields> void Invariant::add_fields(const T &object, Fields... fields) {
  (detail::declare_field(*this, object, fields), ...);
}

} // namespace sartor

#endif
