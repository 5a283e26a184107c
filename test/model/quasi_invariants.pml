/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Quasi-invariants, their numbers, and the code that depends on them: src/runtime/assumptions/registry.cpp,
   src/runtime/dispatch/dependency.cpp. A step is atomic where the registry's lock, or that of the counts, makes it so. */

#define UNREAD 2
#define NUMBERS (QUASI_INVARIANTS * (WRITERS + 1))

typedef Fact {
  bit holds = 1;
  byte number;           /* The number of its present form; never used again. */
  byte writers;          /* Writers that have begun to pass the guard and have not stored yet. */
  byte breaks;           /* Number of times that it was suspended. */
  byte content = UNREAD; /* The value that was read under this number, and that variants have folded. */
  bit busy;              /* The quasi-invariant's lock: it is being suspended or resumed. */
  bit returned;          /* For the properties: a guard has returned since it was last valid. */
  byte readers;          /* For the properties: threads that compile and read its memory. */
};

Fact facts[QUASI_INVARIANTS];
bit memory[QUASI_INVARIANTS];
byte leaning[NUMBERS];  /* By number: existing variants, and threads that read. */
byte leaning_on[QUASI_INVARIANTS]; /* The sum over all numbers that a quasi-invariant has had. */

#define holds_as(f, n) (facts[f].holds && facts[f].number == n)
#ifdef WAITS_FOR_ITS_NUMBER_ONLY
#define something_leans_on(f) (leaning[facts[f].number] > 0)
#else
#define something_leans_on(f) (leaning_on[f] > 0)
#endif

#define lean(f, n) leaning[n]++; leaning_on[f]++
#define lean_no_more(f, n) leaning[n]--; leaning_on[f]--

inline lock(which)
{
  atomic { !which -> which = 1 }
}

inline unlock(which)
{
  which = 0
}
