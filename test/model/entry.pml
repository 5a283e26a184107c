/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One entry and the variants that its runtime keeps: src/runtime/dispatch/entry.cpp, retire.cpp, variant_cache.cpp. */

#define GENERIC 0
#define TANK 100

typedef Variant {
  bit alive;  /* The code exists. */
  bit cached; /* It may be activated. */
  byte uses;  /* The quasi-invariants that it depends on, a bit each. */
  byte number[QUASI_INVARIANTS];
  bit value[QUASI_INVARIANTS]; /* The values that it has folded. */
  byte inside;      /* For the properties: number of threads inside. */
};

Variant variants[SLOTS]; /* The first is the generic code. */
byte code = GENERIC;     /* The code that callers load. */
byte tanks;              /* Writers whose end new callers wait for. */
byte retired;            /* Variants, a bit each. */
bit runtime_lock;

/* For the properties: */
byte in_tank;       /* Callers that wait for `tanks`. */
byte kept_out;      /* Of those writers, the ones whose guard has returned. */
byte late[READERS]; /* A bit for each quasi-invariant: its guard had returned before the call, and it is not valid since. */

#define uses_fact(v, f) ((variants[v].uses >> (f)) & 1)
#define fact_is_fit(v, f) (!uses_fact(v, f) || holds_as(f, variants[v].number[f]))
#define value_is_right(v, f) (!uses_fact(v, f) || variants[v].value[f] == memory[f])
#if QUASI_INVARIANTS == 1
#define EVERY_QUASI_INVARIANT 1
#define holding (facts[0].holds)
#define returned_facts (facts[0].returned)
#define all_hold(v) (fact_is_fit(v, 0))
#define all_right(v) (value_is_right(v, 0))
#else
#define EVERY_QUASI_INVARIANT 3
#define holding (facts[0].holds + 2 * facts[1].holds)
#define returned_facts (facts[0].returned + 2 * facts[1].returned)
#define all_hold(v) (fact_is_fit(v, 0) && fact_is_fit(v, 1))
#define all_right(v) (value_is_right(v, 0) && value_is_right(v, 1))
#endif

/* The best variant that exists and is valid. Under the runtime's lock; hold() takes the registry's lock for each
   again. */
inline find_best(at, best)
{
  at = 1;
  do
  :: atomic {
       at < SLOTS ->
         if
         :: variants[at].cached && all_hold(at) && variants[at].uses > variants[best].uses -> best = at
         :: else
         fi;
         at++
     }
  :: atomic { at == SLOTS -> at = 0; break }
  od
}

/* A valid quasi-invariant has the value that was folded. */
inline check_folded(v)
{
  assert(!all_hold(v) || all_right(v))
}

inline lead_to_and_unlock(best)
{
  atomic {
    check_folded(best);
    code = (tanks > 0 -> TANK : best);
    best = GENERIC;
    unlock(runtime_lock)
  }
}

inline release(v, f)
{
  d_step {
    assert(variants[v].inside == 0);
    f = 0;
    do
    :: f < QUASI_INVARIANTS ->
         if
         :: uses_fact(v, f) -> lean_no_more(f, variants[v].number[f])
         :: else
         fi;
         variants[v].number[f] = 0;
         variants[v].value[f] = 0;
         f++
    :: else -> break
    od;
    variants[v].uses = 0;
    variants[v].alive = 0;
    f = 0
  }
}

#ifdef FREES_CODE
/* The thread `sartor-retire`. */
proctype Retired()
{
  byte batch, v, f, mine, at;
end:
  do
  :: atomic { retired != 0 -> batch = retired; retired = 0 };
#ifndef FREED_AT_ONCE
     wait_for_readers(mine, at);
#endif
#ifdef LATE_ONES_FREED_TOO
     atomic { batch = batch | retired; retired = 0 };
#endif
     do
     :: atomic {
          v < SLOTS ->
            if
            :: (batch >> v) & 1 -> release(v, f)
            :: else
            fi;
            v++
        }
     :: atomic { v == SLOTS -> v = 0; batch = 0; break }
     od
  od
}
#else
/* A process that knows which threads are inside, for models in which the reclamation of code is not examined. */
#define is_idle(v) (((retired >> v) & 1) && variants[v].inside == 0)
#define drop(v) atomic { is_idle(v) -> release(v, f); retired = retired & ~(1 << v) }

proctype Retired()
{
  byte f;
end:
  do
  :: drop(1)
  :: drop(2)
#if SLOTS > 3
  :: drop(3)
  :: drop(4)
#endif
  od
}
#endif
