/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a quasi-invariant becomes valid again: src/runtime/assumptions/quasi_invariant_state.cpp and
   quasi_invariants.cpp. WRITERS pass guards, one after the other or at once; a step is atomic where an atomic operation
   or the quasi-invariant's lock makes it so. */

#ifndef WRITERS
#define WRITERS 3
#endif

byte writers;   /* Between begin_write() and end_write(). */
bit armed;      /* Writers must invalidate. */
bit holds;
bit waits;      /* It is to be tried when the last writer ends. */
bit due = 1;    /* The thread will try it. */
bit disturbed;
bit disarm;     /* The invalidating writer stores, and afterwards writers need not invalidate. */
byte ended;     /* Writers that have ended or are gone. */
bit forked;     /* This is the child process: the other threads do not exist here. */
bit table;      /* A lock of the program. */
bit answering;  /* A callback of the program is running. */

/* The last writer to end has it tried, whether it had to invalidate or not. */
inline end_write(asked)
{
  atomic {
    if
    :: writers > 0 -> writers--
    :: else /* In a child whose callback answered differently. */
    fi;
    is_last = writers == 0
  };
#ifdef ONLY_WHO_ASKED_HAS_IT_TRIED
  if
  :: asked && is_last -> due = 1
  :: else
  fi;
#endif
  atomic {
    if
    :: is_last && waits -> waits = 0; due = 1
    :: else
    fi
  };
  if
  :: asked ->
       atomic {
         if
         :: disarm -> disarm = 0; armed = 0
         :: else
         fi
       }
  :: else
  fi
}

inline break_it()
{
  atomic {
    disturbed = 1;
    holds = 0;
#ifndef ONLY_WHO_ASKED_HAS_IT_TRIED
    waits = 1
#endif
  };
  disarm = 1
}

proctype Writer(bit is_forker; bit is_cancelled; bit takes_lock)
{
  bit asked, is_last;
  {
    writers++;
    asked = armed;
    if
    :: asked && takes_lock ->
#ifdef ASKED_UNDER_A_LOCK_OF_OURS
         answering = 1;
#endif
         atomic { !table -> table = 1 };
         table = 0;
         answering = 0
    :: else
    fi;
    if
    :: asked -> break_it()
    :: else
    fi;
    if
#ifdef CANCELLED_LEAVES_ITS_COUNT
    :: is_cancelled -> ended++; goto gone
#else
    :: is_cancelled
#endif
    :: is_forker ->
         atomic { !table -> table = 1 };
#ifdef ASKED_UNDER_A_LOCK_OF_OURS
         !answering; /* before_fork() takes Sartor's locks. */
#endif
         atomic {
           forked = 1;
           table = 0;
           due = 1;
           waits = 0;
           ended = WRITERS - 1;
#ifdef CHILD_FORGETS_ITS_OWN_GUARD
           writers = 0
#else
           writers = 1
#endif
         }
    :: !is_cancelled && !is_forker
    fi;
    assert(holds == 0); /* It stores. */
    end_write(asked);
    ended++
  } unless { forked && !is_forker };
gone:
  skip
}

/* The thread that makes quasi-invariants valid. */
active proctype Resumer()
{
end:
  do
  :: atomic { due && holds -> due = 0 }
  :: atomic { due && !holds -> due = 0; waits = 1 };
     if
     :: writers > 0
     :: atomic {
          writers == 0 ->
            waits = 0;
            disturbed = 0;
#ifndef LATE_WRITERS_DISARM_IT
            disarm = 0;
#endif
            armed = 1
        };
        /* All threads settle. */
        if
        :: atomic { disturbed || writers > 0 -> armed = 0; due = 1 }
        :: atomic { !disturbed && writers == 0 -> holds = 1 }
        fi
     fi
  od
}

#ifndef FORKERS
#define FORKERS 0
#endif
#ifndef CANCELLED
#define CANCELLED 0
#endif

init
{
  byte i;
  atomic {
    do
    :: i < WRITERS -> run Writer(i < FORKERS, i >= WRITERS - CANCELLED, FORKERS > 0 && i == 1); i++
    :: else -> break
    od
  };
  timeout;
  assert(ended == WRITERS);
  assert(holds == 1) /* In the final state. */
}
