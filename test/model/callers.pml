/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that call the handler: include/sartor/handler.hpp. */

/* A call, until it is in a variant. */
inline call(me, now, v)
{
  do
  :: atomic { late[me] = returned_facts; now = epoch };
     enter(me, now);
     atomic {
       v = code;
       if
       :: v == TANK
       :: else -> variants[v].inside++; check_entered(v, me)
       fi
     };
     if
     :: v != TANK -> break
     :: atomic { v == TANK -> v = 0; late[me] = 0; in_tank++ };
#ifdef TANK_WITHIN_SECTION
        atomic { tanks == 0 -> in_tank-- };
        leave(me)
#else
        leave(me);
        atomic { tanks == 0 -> in_tank-- }
#endif
     fi
  od
}

inline check_entered(v, me)
{
  assert(variants[v].alive);
  /* No call begins between the return of such a guard and the store. */
  assert(kept_out == 0);
  check_folded(v);
  /* After a guard has returned, no call that begins runs code with the folded value. */
  assert((late[me] & variants[v].uses) == 0);
  late[me] = 0
}

inline end_call(me, v)
{
  atomic {
    nfull(stores[me]) ->
#ifndef DEFERS
      /* Code that uses a folded value finds it in memory. */
      assert(all_right(v));
#endif
      variants[v].inside--;
      v = 0;
      leave(me)
  }
}

proctype Caller(byte me)
{
  byte now, v;
  do
  :: call(me, now, v);
     end_call(me, v)
  :: break
  od
}
