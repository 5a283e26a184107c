/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An invariant that two threads revoke at once: src/runtime/assumptions/invariant.cpp. */

#define QUASI_INVARIANTS 1
#define WRITERS 2
#define CALLERS 1
#ifndef COMPILERS
#define COMPILERS 1
#endif
#define READERS (CALLERS + COMPILERS)
#define SLOTS 3

#include "sections.pml"
#include "quasi_invariants.pml"
#include "entry.pml"
#include "callers.pml"
#include "writers.pml"
#include "compiler.pml"
#include "begin.pml"

bit told;     /* Registry::dependents_mutex_ */
bit not_over; /* Revoked, possibly with threads still inside. */

inline revoke()
{
#ifdef SECOND_TAKER_PASSES
  atomic {
#else
  lock(told);
  atomic {
#endif
    held = facts[0].holds;
    facts[0].holds = 0;
    not_over = not_over | held;
    facts[0].breaks = facts[0].breaks + held
  };
  if
  :: held ->
#ifdef SECOND_TAKER_PASSES
       lock(told);
#endif
       deactivate(WAIT);
#ifdef SECOND_TAKER_PASSES
       unlock(told)
#endif
  :: else
  fi;
#ifndef SECOND_TAKER_PASSES
  unlock(told)
#else
  skip
#endif
}

/* Invariant::invalidate(). */
proctype Invalidate()
{
  bit held;
  byte at, best, mine;
  revoke();
  if
  :: not_over ->
       wait_until_over(0);
       not_over = 0
  :: else
  fi;
  atomic {
    check_nobody_inside(0, at);
    facts[0].returned = 1;
    written++
  }
}

/* Invariant::invalidate_later(); the reclamation thread completes it. */
proctype InvalidateLater()
{
  bit held;
  byte at, best, mine;
  revoke();
  facts[0].returned = 1;
  if
  :: held ->
       wait_for_readers(mine, at);
       not_over = 0
  :: else
  fi;
  written++
}

/* A thread that waits for Invariant::reusable(). */
proctype Reuse()
{
  byte at;
  atomic { !facts[0].holds && !not_over -> check_nobody_inside(0, at) }
}

proctype AtRest()
{
end:
  timeout ->
    assert(written == WRITERS);
    assert(code == GENERIC)
}

init {
  byte i;
  atomic {
    begin(i);
    run Invalidate();
#ifdef ONE_LATER
    run InvalidateLater();
#else
    run Invalidate();
#endif
    run Reuse();
    run AtRest()
  }
}
