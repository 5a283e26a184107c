/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Quasi-invariants that variants fold, writers that invalidate them, and the code that is activated instead:
   README.md. The names below select the processes; run.sh defines them. */

#ifndef QUASI_INVARIANTS
#define QUASI_INVARIANTS 1
#endif
#ifndef CALLERS
#define CALLERS 2
#endif
#ifndef DEFERRED_WRITERS
#define DEFERRED_WRITERS 0
#endif
#ifndef WAITING_WRITERS
#define WAITING_WRITERS 1
#endif
#ifndef HOW
#define HOW WAIT
#endif
#ifndef COMPILERS
#define COMPILERS 1
#endif
#define WRITERS (DEFERRED_WRITERS + WAITING_WRITERS)
#if DEFERRED_WRITERS > 0
#define DEFERS
#endif
#if QUASI_INVARIANTS == 1
#define SLOTS 3
#else
#define SLOTS 5
#endif
#define READERS (CALLERS + COMPILERS + DEFERRED_WRITERS)

#include "sections.pml"
#include "quasi_invariants.pml"
#include "entry.pml"
#include "callers.pml"
#include "writers.pml"
#include "compiler.pml"
#include "begin.pml"

#if COMPILERS == 0
#define is_kept(v) variants[v].cached
#define best_is_in_force \
  ((is_kept(1) && code == 1) || (!is_kept(1) && is_kept(2) && code == 2) || \
   (!is_kept(1) && !is_kept(2) && code == GENERIC))
#else
#define best_is_in_force (all_hold(code) && variants[code].uses == EVERY_QUASI_INVARIANT)
#endif

/* In the final state, no process waits for ever, and the best variant is active. */
proctype AtRest()
{
end:
  timeout ->
    assert(written == WRITERS && in_tank == 0);
    assert(best_is_in_force)
}

ltl settles { <>[] (written == WRITERS && in_tank == 0 && best_is_in_force) }

init {
  byte i;
  atomic {
    begin(i);
    do
    :: i < WAITING_WRITERS -> run Writer(i % QUASI_INVARIANTS, HOW); i++
    :: else -> i = 0; break
    od;
    do
    :: i < DEFERRED_WRITERS -> run DeferredWriter(CALLERS + COMPILERS + i, i % QUASI_INVARIANTS); i++
    :: else -> i = 0; break
    od;
    do
    :: i < QUASI_INVARIANTS -> run Resumer(i); i++
    :: else -> i = 0; break
    od;
    run AtRest()
  }
}
