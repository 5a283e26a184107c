// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMARK_HPP
#define SARTOR_REMARK_HPP

#include <compare>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace sartor {

/// The kinds of remarks. Programs make decisions by these codes; messages are for people.
enum class RemarkCode : std::uint8_t {
  argument_unused,   ///< A bound argument is not used by the handler.
  point_generic,     ///< A point that is set stays generic.
  point_unused,      ///< A point is set, but its value is not used.
  nothing_folded,    ///< An argument points to invariant memory, but nothing of it was folded.
  invariant_unused,  ///< Nothing of an invariant's memory became part of the code.
  loop_in_part,      ///< A loop over invariant memory is followed in part.
  loop_not_followed, ///< A loop over invariant memory is not followed.
  tail_calls_left,   ///< Tail calls between operations are not followed from some position on.
  calls_not_inlined, ///< A function was not inlined, because the caller would have grown too much.
  fold_call_failed,  ///< A SARTOR_FOLD function gave no result when it was called.
  fold_call_uncertain, ///< A SARTOR_FOLD function was not called at compile time; the variant calls
                       ///< it.
  fold_call_refused,   ///< An out-of-process compiler may not call a SARTOR_FOLD function.
  one_of_unknown,      ///< No value of a sartor_one_of() is known.
  local_no_effect,     ///< A sartor_local() has no effect.
  local_saved,         ///< Pointers into sartor_local() memory are saved: calls synchronize it.
  blocking_waited_for, ///< Invalidation waits for threads that block in the handler.
  probes_unseen,       ///< Tracers do not see the probes of the variant.
  hooks_left_out,      ///< The variant lacks code that a compiler option adds.
  map_not_read,        ///< The handler does not read an invariant map.
  map_not_folded,      ///< An invariant map, or a lookup in it, does not fold.
  map_invariant_ended, ///< A map could not be kept invariant.
  not_recorded,        ///< A request could not be recorded.
  not_comparable,      ///< Calls of the variant cannot be compared with the native code.
  loads_left,          ///< Loads from invariant memory are left in the code.
  pointer_calls_left,  ///< Calls through pointers are left in a device's code.
  kLast = pointer_calls_left,
};

/// The name of a code, e.g. "argument_unused".
std::string_view to_string(RemarkCode code);

/// A remark about a variant: a request that had no effect, or less than the full effect.
struct Remark {
  RemarkCode code{};
  std::string message; ///< One line, for people: subject and reason.

  /// `code: message`.
  [[nodiscard]] std::string text() const;

  auto operator<=>(const Remark &) const = default;
};

/// Writes text().
inline std::ostream &operator<<(std::ostream &stream, const Remark &remark) {
  return stream << remark.text();
}

} // namespace sartor

#endif
