// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMARK_HPP
#define SARTOR_REMARK_HPP

#include <compare>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace sartor {

/// The kinds of remarks. Programs decide by these; messages are for people.
enum class RemarkCode : std::uint8_t {
  argument_unused,   ///< A bound argument is not used by the handler.
  point_generic,     ///< A point that is set stays generic.
  point_unused,      ///< A point is set, and nothing is computed from its value.
  nothing_folded,    ///< An argument leads to invariant memory, of which nothing was folded.
  promise_unused,    ///< Nothing of a promise's memory became part of the code.
  loop_in_part,      ///< A loop over invariant memory is followed in part.
  loop_not_followed, ///< A loop over invariant memory is not followed.
  tail_calls_left,   ///< Operations that tail-call each other are not followed from some place on.
  calls_not_inlined, ///< A function would have grown too much.
  fold_call_failed,  ///< A SARTOR_FOLD function gave no result when it was called.
  fold_call_uncertain, ///< A SARTOR_FOLD function is called by the variant.
  fold_call_refused,   ///< A compiler outside of the program may not call a SARTOR_FOLD function.
  one_of_unknown,      ///< No value of a sartor_one_of() is known.
  local_no_effect,     ///< A sartor_local() has no effect.
  local_saved,         ///< Pointers into sartor_local() memory are saved: calls synchronize it.
  blocking_waited_for, ///< Threads that block in the handler are waited for.
  probes_unseen,       ///< Tracers do not see the probes of the variant.
  hooks_left_out,      ///< The variant does not have code that a compiler's option adds.
  map_not_read,        ///< A promised map that the handler does not look into.
  map_not_folded,      ///< A promised map, or a lookup in it, that does not fold.
  map_promise_ended,   ///< A map's promise could not be kept up.
  generator_not_run,   ///< A point is left generic, since its generator is the program's.
  not_recorded,        ///< A request could not be recorded.
  kLast = not_recorded,
};

/// The name of a code, e.g. "argument_unused".
std::string_view to_string(RemarkCode code);

/// What was asked for and changed nothing in a variant, or less than was asked for.
struct Remark {
  RemarkCode code{};
  std::string message; ///< One line, for people: what it is about, and why.

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
