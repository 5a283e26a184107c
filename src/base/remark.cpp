// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/remark.hpp>

namespace sartor {

std::string_view to_string(RemarkCode code) {
  switch (code) {
  case RemarkCode::argument_unused:
    return "argument_unused";
  case RemarkCode::point_generic:
    return "point_generic";
  case RemarkCode::point_unused:
    return "point_unused";
  case RemarkCode::nothing_folded:
    return "nothing_folded";
  case RemarkCode::invariant_unused:
    return "invariant_unused";
  case RemarkCode::loop_in_part:
    return "loop_in_part";
  case RemarkCode::loop_not_followed:
    return "loop_not_followed";
  case RemarkCode::tail_calls_left:
    return "tail_calls_left";
  case RemarkCode::calls_not_inlined:
    return "calls_not_inlined";
  case RemarkCode::fold_call_failed:
    return "fold_call_failed";
  case RemarkCode::fold_call_uncertain:
    return "fold_call_uncertain";
  case RemarkCode::fold_call_refused:
    return "fold_call_refused";
  case RemarkCode::one_of_unknown:
    return "one_of_unknown";
  case RemarkCode::local_no_effect:
    return "local_no_effect";
  case RemarkCode::local_saved:
    return "local_saved";
  case RemarkCode::blocking_waited_for:
    return "blocking_waited_for";
  case RemarkCode::probes_unseen:
    return "probes_unseen";
  case RemarkCode::hooks_left_out:
    return "hooks_left_out";
  case RemarkCode::map_not_read:
    return "map_not_read";
  case RemarkCode::map_not_folded:
    return "map_not_folded";
  case RemarkCode::map_invariant_ended:
    return "map_invariant_ended";
  case RemarkCode::not_recorded:
    return "not_recorded";
  case RemarkCode::not_comparable:
    return "not_comparable";
  case RemarkCode::loads_left:
    return "loads_left";
  case RemarkCode::pointer_calls_left:
    return "pointer_calls_left";
  }
  return "";
}

std::string Remark::text() const { return std::string(to_string(code)) + ": " + message; }

} // namespace sartor
