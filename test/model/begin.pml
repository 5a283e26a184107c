/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The initial state of every model. */

/* Without a compiling process, the variants exist from the start. */
inline make_before(v, facts_of, f)
{
  d_step {
    variants[v].alive = 1;
    variants[v].cached = 1;
    variants[v].uses = facts_of;
    f = 0;
    do
    :: f < QUASI_INVARIANTS ->
         if
         :: uses_fact(v, f) ->
              variants[v].number[f] = f;
              lean(f, f);
              facts[f].content = 0
         :: else
         fi;
         f++
    :: else -> f = 0; break
    od
  }
}

inline begin(i)
{
  variants[GENERIC].alive = 1;
#if QUASI_INVARIANTS > 1
  facts[1].number = 1;
#endif
  do
  :: i < READERS -> run Processor(i); i++
  :: else -> i = 0; break
  od;
  do
  :: i < CALLERS -> run Caller(i); i++
  :: else -> i = 0; break
  od;
#if COMPILERS == 0
  make_before(1, EVERY_QUASI_INVARIANT, i);
#if QUASI_INVARIANTS > 1
  make_before(2, 1, i);
#endif
  code = 1;
#else
  do
  :: i < COMPILERS -> run Compiler(CALLERS + i); i++
  :: else -> i = 0; break
  od;
#endif
  run Retired()
}
