// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_LOOP_H
#define SARTOR_STUDY_NF_LOOP_H

#include <functional>

#include "io.h"
#include "work.h"

namespace nf {

/// Whatever polls as a function does.
using Poll = std::function<std::uint32_t(NfIo *, NfSide)>;

/// Has packets go through a function, and counts them and the time they take. Belongs to one
/// thread; all it is given must outlive it.
class Loop {
public:
  Loop(NfIo &io, Poll poll, Work &work);

  /// Reads a batch of each side. Returns how many packets that were.
  std::uint64_t round();
  /// Reads a side until nothing is left there. Of time, what the thread had of a processor counts:
  /// whoever else is on the machine does not.
  void empty(NfSide side);

private:
  NfIo &io_;
  Poll poll_;
  Work &work_;
  double nanoseconds_per_tick_;
};

} // namespace nf

#endif
