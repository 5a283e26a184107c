// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/remark_help.h"

#include <string>

namespace sartor {

RemarkHelp help_on(RemarkCode code) {
  switch (code) {
  case RemarkCode::argument_unused:
    return {"The handler does not use a bound argument, so binding it changes nothing.",
            "Leave the argument unbound."};
  case RemarkCode::point_generic:
    return {"A point is set, but its place stays generic.",
            "Change the function as the reason requires, or move the point to another function."};
  case RemarkCode::point_unused:
    return {"A point is set, but nothing is computed from its value.",
            "Use the value that the point returns, or leave the point generic."};
  case RemarkCode::nothing_folded:
    return {"An argument points to invariant memory, but no load of it became a constant.",
            "Read the memory by a pointer that is bound or constant, and declare the memory that "
            "this pointer leads to."};
  case RemarkCode::invariant_unused:
    return {"Nothing of an invariant's memory became part of the code.",
            "Remove the invariant, or bind the pointer that leads to its memory."};
  case RemarkCode::loop_in_part:
    return {"A loop over invariant memory is unrolled in part, and continues as a generic loop.",
            "Bind fewer data, or split the loop over several bindings."};
  case RemarkCode::loop_not_followed:
    return {"A loop over invariant memory is not unrolled.",
            "Declare or bind what steers the loop, or make the loop a handler of its own."};
  case RemarkCode::tail_calls_left:
    return {"Operations that tail-call each other are not followed from some operation on.",
            "Make the operation that the message names one that can be followed."};
  case RemarkCode::calls_not_inlined:
    return {"Calls are not inlined, because their caller would grow too much.",
            "Make the callee a handler of its own, or bind fewer data."};
  case RemarkCode::fold_call_failed:
    return {"A SARTOR_FOLD function gave no result when it was called, so the variant calls it.",
            "Correct the function: the event fold_call_failed says whether it faulted, threw or "
            "was refused."};
  case RemarkCode::fold_call_uncertain:
    return {"A SARTOR_FOLD function is not called at compile time, because not every call of the "
            "handler reaches it.",
            "Call it before the conditions, with pointers to invariant memory that are not null."};
  case RemarkCode::fold_call_refused:
    return {"A compiler in another process may not call a SARTOR_FOLD function.",
            "Declare what the function reads with SARTOR_FOLD_READS."};
  case RemarkCode::one_of_unknown:
    return {
        "A sartor_one_of() has no effect, because none of its possible values is known.",
        "Mark the place where the value is stored, or declare the memory that it is read from."};
  case RemarkCode::local_no_effect:
    return {"The memory of a sartor_local() is not kept in registers.",
            "Change the code as the reason requires."};
  case RemarkCode::local_saved:
    return {"A pointer into the memory of a sartor_local() is stored, so calls synchronize the "
            "memory.",
            "Do not store the pointer at the place that the message names."};
  case RemarkCode::blocking_waited_for:
    return {"Invalidation waits for threads that block in the handler.",
            "Move the blocking section to a function without the obstacle that the message names."};
  case RemarkCode::probes_unseen:
    return {"Tracers do not see the static probes of the variant.",
            "Trace native code: switch the handler off while tracing."};
  case RemarkCode::hooks_left_out:
    return {"The variant lacks code that a compiler option adds.",
            "Compile the handlers without the option, or do not rely on its hooks in variants."};
  case RemarkCode::map_not_read:
    return {"The handler does not look into a BPF map that was declared invariant.",
            "Do not declare the map."};
  case RemarkCode::map_not_folded:
    return {"A BPF map that was declared invariant, or a lookup in it, does not fold.",
            "Change the map or the lookup as the reason requires."};
  case RemarkCode::map_invariant_ended:
    return {"A BPF map was written to so often that it could not be kept invariant.",
            "Declare maps that are rarely written to."};
  case RemarkCode::not_recorded:
    return {"A request could not be written to the directory of recorded requests.",
            "Name a directory that can be written to, with room."};
  case RemarkCode::not_comparable:
    return {"Calls of the variant are not compared with the native code.",
            "Change the code as the reason requires, or leave the handler out of the comparison."};
  case RemarkCode::loads_left:
    return {"Loads from invariant memory at known addresses are left in the code.",
            "Read the memory without acquire semantics, or before its address passes through other "
            "memory."};
  case RemarkCode::pointer_calls_left:
    return {"A device's code calls through pointers that are not known.",
            "Declare the memory that the pointers are in, if it does not change."};
  }
  return {};
}

std::string anchor_of(RemarkCode code) {
  return "docs/reference/remarks.md#" + std::string(to_string(code));
}

} // namespace sartor
