/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writers that invalidate a quasi-invariant, and the thread that makes it valid again. */

#define WAIT 0
#define DEFERRED 1
#define HOLDING_TANK 2

byte written; /* Writers that have ended. */

#ifdef TANK_IS_A_FLAG
#define open_tank() tanks = 0
#define close_tank() tanks = 1
#else
#define open_tank() tanks--
#define close_tank() tanks++
#endif

/* Runtime::Impl::deactivate(). */
inline deactivate(how)
{
#ifdef BEST_FOUND_OUTSIDE_LOCK
  find_best(at, best);
#endif
  atomic {
    lock(runtime_lock);
    if
    :: how == HOLDING_TANK -> close_tank()
    :: else
    fi
  };
#ifndef BEST_FOUND_OUTSIDE_LOCK
  find_best(at, best);
#endif
  lead_to_and_unlock(best)
}

/* The first half of the guard: when it has returned, no call that begins runs code with the folded value. */
inline suspend(broken, how)
{
  atomic {
#ifndef SECOND_WRITER_PASSES
    lock(facts[broken].busy);
#endif
    held = facts[broken].holds;
    facts[broken].holds = 0;
    facts[broken].breaks++;
    facts[broken].writers++
  };
  if
  :: atomic { held || how == HOLDING_TANK -> held = 0 };
     deactivate(how)
  :: else
  fi;
  atomic {
#if !defined(SECOND_WRITER_PASSES) && !defined(LOCK_HELD_WHILE_WAITING)
    unlock(facts[broken].busy);
#endif
    if
    :: how == HOLDING_TANK -> kept_out++
    :: else
    fi;
    facts[broken].returned = 1
  }
}

inline wait_until_over(broken)
{
#ifndef NO_GRACE
  if
  :: something_leans_on(broken) -> wait_for_readers(mine, at)
  :: else
  fi;
#endif
#ifdef LOCK_HELD_WHILE_WAITING
  unlock(facts[broken].busy)
#else
  skip
#endif
}

inline store(broken)
{
  if
  :: memory[broken] = 0
  :: memory[broken] = 1
  fi
}

inline end_write(broken)
{
  atomic {
    facts[broken].writers--;
    written++
  }
}

inline check_nobody_inside(broken, at)
{
  assert(facts[broken].readers == 0);
  do
  :: at < SLOTS ->
       assert(!uses_fact(at, broken) || variants[at].inside == 0);
       at++
  :: else -> at = 0; break
  od
}

proctype Writer(byte broken; byte how)
{
  bit held;
  byte at, best, mine;
  suspend(broken, how);
  wait_until_over(broken);
  atomic {
    check_nobody_inside(broken, at);
    store(broken);
    if
    :: how == HOLDING_TANK -> kept_out--
    :: else
    fi
  };
  if
  :: how == HOLDING_TANK ->
       atomic { lock(runtime_lock); open_tank() };
       find_best(at, best);
       lead_to_and_unlock(best)
  :: else
  fi;
  end_write(broken)
}

/* Within a handler, where a thread cannot wait for handlers. */
proctype DeferredWriter(byte me; byte broken)
{
  bit held;
  byte now, v, at, best;
  call(me, now, v);
  suspend(broken, DEFERRED);
  store(broken);
  end_write(broken);
  end_call(me, v)
}

inline forget_variants_of(f, at)
{
  atomic { lock(runtime_lock); at = 1 };
  do
  :: atomic {
       at < SLOTS ->
         if
         :: variants[at].cached && uses_fact(at, f) && !holds_as(f, variants[at].number[f]) ->
              variants[at].cached = 0;
              retired = retired | (1 << at)
         :: else
         fi;
         at++
     }
  :: atomic { at == SLOTS -> at = 0; unlock(runtime_lock); break }
  od
}

inline hold_again(f, at)
{
  facts[f].holds = 1;
  facts[f].returned = 0;
  do
  :: at < READERS -> late[at] = late[at] & ~(1 << f); at++
  :: else -> at = 0; break
  od
}

/* After the back-off, which may be of any length. */
proctype Resumer(byte f)
{
  bit same;
  byte at, best;
end:
  do
  :: atomic {
       !facts[f].holds && facts[f].writers == 0 ->
#ifndef RESUMED_WITHOUT_LOCK
       lock(facts[f].busy)
#endif
     };
     if
     :: atomic { !facts[f].holds && facts[f].writers == 0 -> skip };
#ifdef RESUMED_WITHOUT_COMPARING
        same = 1;
#else
        same = (facts[f].content == UNREAD || facts[f].content == memory[f]);
#endif
        if
        :: atomic { same -> same = 0; hold_again(f, at) };
#ifndef NOT_PLUGGED_IN_AGAIN
           lock(runtime_lock);
           find_best(at, best);
           lead_to_and_unlock(best)
#endif
        :: atomic {
             else ->
               facts[f].number = facts[f].number + QUASI_INVARIANTS;
               facts[f].content = UNREAD;
               hold_again(f, at)
           };
           forget_variants_of(f, at)
        fi
     :: else
     fi;
#ifndef RESUMED_WITHOUT_LOCK
     unlock(facts[f].busy)
#endif
  od
}
