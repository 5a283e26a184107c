// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "watched_handler.h"

#include <sartor/points.h>

SARTOR_HANDLER long admit(Account *account, long limit) {
  limit = sartor_generic("limit", limit);
  ++account->calls;
  account->limit = limit;
  return account->holders.fetch_add(1) + limit;
}
