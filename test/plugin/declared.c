/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled twice: with annotations; and without them, but with declared.sartor. */
#include "declared.h"

#include <sartor/points.h>
#include <sartor/watch.h>

#ifdef ANNOTATED
#define HANDLER SARTOR_HANDLER
#define HANDLER_DIRECT SARTOR_HANDLER_DIRECT
#define FOLD SARTOR_FOLD
#define WATCHED SARTOR_WATCHED
#define POINT(parameter, point) parameter = point
#else
#define HANDLER
#define HANDLER_DIRECT
#define FOLD
#define WATCHED
#define POINT(parameter, point)
#endif

struct Account {
  WATCHED int holders;
  union {
    WATCHED unsigned rights;
    int debt;
  };
  long sum;
};

static struct Account account = {1, {7}, 100};
WATCHED int mode = 1;
static int unit = 3;
WATCHED int level = 1;
WATCHED int depth = 1;

FOLD static int price_of(int goods) {
  int price = 1;
  for (int i = 0; i < goods % 9; ++i)
    price = price * 5 % 23;
  return price;
}

HANDLER long trade(enum Side side, unsigned char amount, long limit, const char *note, bool urgent,
                   long other) {
  POINT(side, sartor_enum("side", side, buy, sell));
  POINT(amount, sartor_range("amount", amount, 1, 9));
  POINT(limit, sartor_enum("trade.limit", limit, -5, 1000));
  POINT(note, sartor_generic("trade.note", note));
  POINT(urgent, sartor_generic("urgent", urgent));
  long sum = amount * price_of(side == buy ? 4 : 6) * unit;
  if (urgent)
    sum += 2;
  if (account.holders > 1)
    sum += 1000;
  if (account.rights & 2)
    sum += 100;
  if (note)
    sum += note[0];
  if (mode == 2)
    sum = -sum;
  if (sum > limit)
    return limit;
  account.sum += sum;
  return sum + other;
}

HANDLER_DIRECT int twice(int x) {
  POINT(x, sartor_generic("twice.x", x));
  return mode == 2 ? x : x * 2;
}

void set_mode(int to) { mode = to; }
struct Limits {
  int unwatched;
  union {
    WATCHED int most;
    unsigned bits;
  };
  WATCHED long least;
};
static struct Limits limits = {1, {2}, 3};
void set_most(int to) { limits.most = to; }
int most(void) { return limits.most; }
void set_level(int to) { level = to; }
void set_depth(int to) { depth = to; }
int *mode_address(void) { return &mode; }
void set_holders(int to) { account.holders = to; }
long sum(void) { return account.sum; }
const int *unit_of_price(void) { return &unit; }
