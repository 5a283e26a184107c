// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/remark.hpp>

namespace sartor {

std::string_view to_string(RemarkCode code) {
// Each is called by its own name.
#define SARTOR_NAMED(name)                                                                         \
  case RemarkCode::name:                                                                           \
    return #name
  switch (code) {
    SARTOR_NAMED(argument_unused);
    SARTOR_NAMED(point_generic);
    SARTOR_NAMED(point_unused);
    SARTOR_NAMED(nothing_folded);
    SARTOR_NAMED(invariant_unused);
    SARTOR_NAMED(loop_in_part);
    SARTOR_NAMED(loop_not_followed);
    SARTOR_NAMED(tail_calls_left);
    SARTOR_NAMED(calls_not_inlined);
    SARTOR_NAMED(fold_call_failed);
    SARTOR_NAMED(fold_call_uncertain);
    SARTOR_NAMED(fold_call_refused);
    SARTOR_NAMED(one_of_unknown);
    SARTOR_NAMED(local_no_effect);
    SARTOR_NAMED(local_saved);
    SARTOR_NAMED(blocking_waited_for);
    SARTOR_NAMED(probes_unseen);
    SARTOR_NAMED(hooks_left_out);
    SARTOR_NAMED(map_not_read);
    SARTOR_NAMED(map_not_folded);
    SARTOR_NAMED(map_invariant_ended);
    SARTOR_NAMED(not_recorded);
    SARTOR_NAMED(not_comparable);
    SARTOR_NAMED(loads_left);
    SARTOR_NAMED(pointer_calls_left);
  }
#undef SARTOR_NAMED
  return "";
}

std::string Remark::text() const { return std::string(to_string(code)) + ": " + message; }

} // namespace sartor
