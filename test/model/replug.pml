/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts that variants fold, writers that break them, and the code that is put in force instead: README.md. What runs
   is said by the names below; run.sh sets them. */

#ifndef FACTS
#define FACTS 1
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
#if FACTS == 1
#define SLOTS 3
#else
#define SLOTS 5
#endif
#define READERS (CALLERS + COMPILERS + DEFERRED_WRITERS)

#include "sections.pml"
#include "facts.pml"
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
#define best_is_in_force (all_hold(code) && variants[code].uses == EVERY_FACT)
#endif

/* When all have come to rest: nobody waits for ever, and the best variant is in force. */
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
    :: i < WAITING_WRITERS -> run Writer(i % FACTS, HOW); i++
    :: else -> i = 0; break
    od;
    do
    :: i < DEFERRED_WRITERS -> run DeferredWriter(CALLERS + COMPILERS + i, i % FACTS); i++
    :: else -> i = 0; break
    od;
    do
    :: i < FACTS -> run Resumer(i); i++
    :: else -> i = 0; break
    od;
    run AtRest()
  }
}
