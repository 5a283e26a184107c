// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_PLUGIN_WATCHED_HANDLER_H
#define SARTOR_TEST_PLUGIN_WATCHED_HANDLER_H

#include <atomic>

#include <sartor/watch.h>

struct Account {
  long calls = 0;
  SARTOR_WATCHED long limit = 0;
  SARTOR_WATCHED std::atomic<long> holders = 0;
};

/// A handler that writes to watched fields: sets the limit and counts a holder.
long admit(Account *account, long limit);

#endif
