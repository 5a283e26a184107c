/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call that blocks, calls another handler meanwhile, and continues; and a writer that invalidates the
   quasi-invariant that its code has folded: src/base/thread/blocking.cpp, readers.cpp, runtime::wait_for_running_readers().
   README.md. */

#ifndef WRITERS
#define WRITERS 1
#endif

#define NEVER 100

mtype = { to_word, to_blocked };

byte epoch = 1;
byte breaks;
/* The thread's record: twice the epoch, plus 1 in a section within the section; 0 outside of sections. */
byte word;
byte blocked;
chan stores = [3] of { mtype, byte }; /* Stores that its processor has not written out yet. */

bit leads_to_old = 1; /* The entry. */
bit written;          /* For the properties: a guard has returned. */
bit inside;           /* The thread is in code that has folded the old value. */

proctype Processor()
{
  byte value;
end:
  do
  :: atomic { stores?to_word(value) -> word = value; value = 0 }
  :: atomic { stores?to_blocked(value) -> blocked = value; value = 0 }
  od
}

inline run_old_code()
{
  atomic { inside = 1; assert(!written) };
  inside = 0
}

proctype Caller()
{
  byte mine;
  byte counted;
  bit is_old;
  bit within_is_old;

  mine = 2 * epoch;
  stores!to_word(mine);
  is_old = leads_to_old;
  if
  :: is_old -> run_old_code()
  :: else
  fi;

  /* sartor_begin_blocking() */
  counted = breaks;
  stores!to_blocked(mine); /* A thread that does not see it yet waits. */
#ifndef NO_LOOK_AT_EPOCH
  if
  :: 2 * epoch != mine -> counted = NEVER
  :: else
  fi;
#endif

  /* Calls another handler, or does not. */
  if
  :: true ->
#ifdef NO_OTHER_SECTION
       skip;
#else
       stores!to_word(mine + 1);
#endif
       within_is_old = leads_to_old;
       if
       :: within_is_old -> run_old_code()
       :: else
       fi;
       stores!to_word(mine)
  :: true
  fi;

  /* sartor_end_blocking() */
  stores!to_blocked(0);
#ifndef NO_FENCE_AFTER
  empty(stores);
#endif
  if
  :: is_old && counted == breaks -> run_old_code()
  :: else /* in generic code */
  fi;
  stores!to_word(0)
}

proctype Writer()
{
  byte mine;
  byte value;
#ifdef COUNTS_FIRST
  breaks++;
#endif
  leads_to_old = 0;
  /* membarrier() */
  do
  :: atomic { stores?to_word(value) -> word = value; value = 0 }
  :: atomic { stores?to_blocked(value) -> blocked = value; value = 0 }
  :: atomic { empty(stores) -> break }
  od;
  atomic { epoch++; mine = epoch };
#ifndef COUNTS_FIRST
  breaks++;
#endif
  do
  :: atomic { word == 0 || word / 2 >= mine -> break }
  :: atomic { word == blocked && word != 0 -> break }
  od;
  atomic { written = 1; assert(!inside) }
}

init {
  byte i;
  atomic {
    run Processor();
    run Caller();
    do
    :: i < WRITERS -> run Writer(); i++
    :: else -> break
    od
  }
}
