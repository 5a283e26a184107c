// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_IMAGE_FOLDED_BYTES_H
#define SARTOR_CORE_IMAGE_FOLDED_BYTES_H

#include <sartor/folded.hpp>
#include <sartor/remark.hpp>

#include "base/bytes.h"

namespace sartor::bytes {

template <class Io, Of<FoldedPromise> T> void fields_of(Io &io, T &promise) {
  io(promise.promise);
  io(promise.fact);
  io(promise.loads);
  io(promise.leant_on);
}

template <class Io, Of<FoldedLoop> T> void fields_of(Io &io, T &loop) {
  io(loop.function);
  io(loop.line);
  io(loop.copies);
  io(loop.why_not);
}

template <class Io, Of<Remark> T> void fields_of(Io &io, T &remark) {
  io.choice(remark.code);
  io(remark.message);
}

template <class Io, Of<Folded> T> void fields_of(Io &io, T &folded) {
  io(folded.promises);
  io(folded.loops);
  io.choice(folded.followed);
  io(folded.indirect_jumps);
  io(folded.indirect_calls);
}

} // namespace sartor::bytes

#endif
