// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_LOOP_H
#define SARTOR_STUDY_NF_LOOP_H

#include <functional>

#include "io.h"
#include "work.h"

namespace nf {

/// A function with the signature of a handler.
using Poll = std::function<std::uint32_t(NfIo *, NfSide)>;

/// Passes packets through a function and counts them and their time. Belongs to one thread; all
/// arguments must outlive it.
class Loop {
public:
  Loop(NfIo &io, Poll poll, Work &work);

  /// Processes a batch of each side. Returns the number of packets.
  std::uint64_t round();
  /// Processes a side until no packets are left. Measures the thread's processor time, so that
  /// other load on the machine does not count.
  void empty(NfSide side);

private:
  NfIo &io_;
  Poll poll_;
  Work &work_;
  double nanoseconds_per_tick_;
};

} // namespace nf

#endif
