// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_THREAD_NO_CANCEL_H
#define SARTOR_BASE_THREAD_NO_CANCEL_H

#include <pthread.h>

namespace sartor::base {

/// While one exists, a cancellation of its thread is deferred. For use on the program's threads,
/// around code that counts, locks or writes a log: a system call in it may be a cancellation point.
class NoCancel {
public:
  NoCancel() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancel() { pthread_setcancelstate(before_, nullptr); }
  NoCancel(const NoCancel &) = delete;
  NoCancel &operator=(const NoCancel &) = delete;

private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace sartor::base

#endif
