// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_IMAGE_FOLD_REPORT_BYTES_H
#define SARTOR_CORE_IMAGE_FOLD_REPORT_BYTES_H

#include <sartor/fold_report.hpp>
#include <sartor/remark.hpp>

#include "base/bytes.h"

namespace sartor::bytes {

template <class Io, Of<InvariantReport> T> void fields_of(Io &io, T &invariant) {
  io(invariant.invariant, invariant.quasi_invariant, invariant.loads, invariant.depended_on);
}

template <class Io, Of<LoopReport> T> void fields_of(Io &io, T &loop) {
  io(loop.function, loop.line, loop.copies, loop.why_not);
}

template <class Io, Of<Remark> T> void fields_of(Io &io, T &remark) {
  io.choice(remark.code);
  io(remark.message);
}

template <class Io, Of<FoldReport> T> void fields_of(Io &io, T &fold_report) {
  io(fold_report.invariants, fold_report.loops);
  io.choice(fold_report.followed);
  io(fold_report.indirect_jumps, fold_report.indirect_calls);
}

} // namespace sartor::bytes

#endif
