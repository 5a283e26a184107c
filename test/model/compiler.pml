/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread that compiles: src/runtime/assumptions/read_reach.cpp (read_pieces), src/runtime/request.cpp (take, advance). */

#define uses_bit(uses, f) ((uses >> f) & 1)

/* The best variant is requested whenever it does not exist. */
#define is_made(v) (variants[v].cached && variants[v].uses == holding && all_hold(v))
#if SLOTS == 3
#define some_is_free (!variants[1].alive || !variants[2].alive)
#define best_is_made (is_made(1) || is_made(2))
#elif SLOTS == 5
#define some_is_free (!variants[1].alive || !variants[2].alive || !variants[3].alive || !variants[4].alive)
#define best_is_made (is_made(1) || is_made(2) || is_made(3) || is_made(4))
#endif

inline begin_leaning()
{
  d_step {
    do
    :: f < QUASI_INVARIANTS ->
         if
         :: uses_bit(leant, f) -> lean(f, number[f])
         :: else
         fi;
         f++
    :: else -> f = 0; break
    od
  }
}

inline end_leaning()
{
  d_step {
    do
    :: f < QUASI_INVARIANTS ->
         if
         :: uses_bit(leant, f) -> lean_no_more(f, number[f])
         :: else
         fi;
         f++
    :: else -> f = 0; leant = 0; break
    od
  }
}

/* Of the memory to be read, the part whose quasi-invariants are valid now is read. */
inline begin_reading()
{
  d_step {
    do
    :: f < QUASI_INVARIANTS ->
         if
         :: uses_bit(uses, f) && holds_as(f, number[f]) ->
              breaks[f] = facts[f].breaks;
              facts[f].readers++
         :: uses_bit(uses, f) && !holds_as(f, number[f]) -> uses = uses - (1 << f)
         :: else
         fi;
         f++
    :: else -> f = 0; break
    od
  }
}

inline read()
{
  do
  :: atomic {
       f < QUASI_INVARIANTS ->
         if
         :: uses_bit(uses, f) -> value[f] = memory[f]; facts[f].readers--
         :: else
         fi;
         f++
     }
  :: atomic { f == QUASI_INVARIANTS -> f = 0; break }
  od
}

/* The bytes that were read count if the quasi-invariant was valid throughout. */
inline keep_content()
{
  d_step {
    do
    :: f < QUASI_INVARIANTS ->
         if
#ifdef CONTENT_KEPT_AFTER_INVALIDATION
         :: uses_bit(uses, f) && facts[f].number == number[f] -> facts[f].content = value[f]
         :: uses_bit(uses, f) && facts[f].number != number[f] -> lost = 1
#else
         :: uses_bit(uses, f) && facts[f].breaks == breaks[f] -> facts[f].content = value[f]
         :: uses_bit(uses, f) && facts[f].breaks != breaks[f] -> lost = 1
#endif
         :: else
         fi;
         f++
    :: else -> f = 0; break
    od
  }
}

inline fill(v)
{
  d_step {
    some_is_free -> v = 1;
    do
    :: variants[v].alive -> v++
    :: else -> break
    od;
    variants[v].alive = 1;
    variants[v].uses = uses;
    do
    :: f < QUASI_INVARIANTS ->
         if
         :: uses_bit(uses, f) ->
              variants[v].number[f] = number[f];
              variants[v].value[f] = value[f];
              lean(f, number[f])
         :: else
         fi;
         f++
    :: else -> f = 0; break
    od
  }
}

inline forget_job()
{
  d_step {
    do
    :: f < QUASI_INVARIANTS -> number[f] = 0; value[f] = 0; breaks[f] = 0; f++
    :: else -> f = 0; break
    od;
    uses = 0;
    lost = 0;
    v = 0
  }
}

inline activate(v)
{
#ifdef HOLD_CHECK_OUTSIDE_LOCK
  hold = all_hold(v);
  lock(runtime_lock);
#else
  atomic { lock(runtime_lock); hold = all_hold(v) };
#endif
  if
  :: atomic { hold -> hold = 0; variants[v].cached = 1; best = v };
     find_best(at, best);
     lead_to_and_unlock(best)
  :: atomic { else -> release(v, f); unlock(runtime_lock) }
  fi
}

proctype Compiler(byte me)
{
  byte uses, leant, number[QUASI_INVARIANTS], breaks[QUASI_INVARIANTS], f, v, at, best, now;
  bit value[QUASI_INVARIANTS], lost, hold;
end:
  do
  :: atomic {
       holding != 0 && !best_is_made && some_is_free ->
         uses = holding;
         number[0] = facts[0].number;
#if QUASI_INVARIANTS > 1
         number[1] = facts[1].number;
#endif
         leant = uses
     };
#if !defined(DEPENDENCY_AFTER_VALID_CHECK) && !defined(READS_WITHOUT_DEPENDENCY)
     begin_leaning();
#endif
#ifndef READ_OUTSIDE_SECTION
     now = epoch;
     enter(me, now);
#endif
     begin_reading();
#ifdef DEPENDENCY_AFTER_VALID_CHECK
     begin_leaning();
#endif
     read();
#ifndef READ_OUTSIDE_SECTION
     leave(me);
#endif
#ifdef READS_WITHOUT_DEPENDENCY
     leant = 0;
#endif
     end_leaning();
     keep_content();
     if
     :: !lost && uses != 0 ->
          fill(v);
          activate(v)
     :: else
     fi;
     forget_job()
  od
}
