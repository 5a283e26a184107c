/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts, their numbers, and what leans on them: src/runtime/assumptions/registry.cpp, src/runtime/dispatch/leaning.cpp. A step on these
   is what the registry's lock, or that of the counts, makes one. */

#define UNREAD 2
#define NUMBERS (FACTS * (WRITERS + 1))

typedef Fact {
  bit holds = 1;
  byte number;           /* Of its present form; never used again. */
  byte writers;          /* That have begun to pass the guard and have not stored yet. */
  byte breaks;           /* How often it was suspended. */
  byte content = UNREAD; /* What was read under this number, and variants have folded. */
  bit busy;              /* The fact's lock: it is being suspended or resumed. */
  bit returned;          /* For the properties: a guard has returned since it held last. */
  byte readers;          /* For the properties: threads that compile and read its memory. */
};

Fact facts[FACTS];
bit memory[FACTS];
byte leaning[NUMBERS];  /* By number: variants that there are, threads that read. */
byte leaning_on[FACTS]; /* The same, for all numbers that a fact has had. */

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
