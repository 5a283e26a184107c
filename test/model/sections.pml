/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Read sections: include/sartor/read_section.hpp, src/base/readers.cpp. */

/* The upper half of a record's word as all other threads see it; 0 while the thread is in no section. */
byte epoch = 1;
byte word[READERS];
/* The value that the thread has stored into its word and that its processor has not written out yet. */
chan stores[READERS] = [2] of { byte };

proctype Processor(byte whose)
{
end:
  do
  :: stores[whose]?word[whose]
  od
}

/* `now` was loaded from the epoch one step before. A fence follows the store only if the kernel has no membarrier(). */
inline enter(me, now)
{
  stores[me]!now;
#ifdef FENCE_IN_CALLS
  empty(stores[me]);
#endif
  now = 0
}

inline leave(me)
{
  stores[me]!0
}

inline write_out(whose)
{
  do
  :: nempty(stores[whose]) -> stores[whose]?word[whose]
  :: empty(stores[whose]) -> break
  od
}

/* GracePeriod and runtime::wait_for_readers(). Records are read one by one. */
inline wait_for_readers(mine, at)
{
#if !defined(FENCE_IN_CALLS) && !defined(NO_BARRIER)
  do /* membarrier(): processors are interrupted one after the other */
  :: atomic { at < READERS -> write_out(at); at++ }
  :: atomic { at == READERS -> at = 0; break }
  od;
#endif
  atomic { epoch++; mine = epoch };
  do
  :: atomic { at < READERS && (word[at] == 0 || word[at] >= mine) -> at++ }
  :: atomic { at == READERS -> at = 0; mine = 0; break }
  od
}
