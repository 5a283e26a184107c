/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers whose pointers into sartor_local() memory leave their hands. */
#ifndef SARTOR_TEST_SPECIALIZE_LOCAL_ESCAPES_H
#define SARTOR_TEST_SPECIALIZE_LOCAL_ESCAPES_H

#ifdef __cplusplus
extern "C" {
#endif

enum { escape_longs = 8, escape_many_longs = 256 };

typedef long EscapeHandler(long a, long *memory);

/* The pointer is stored in a global variable, and found there by a function, and by the handler. */
EscapeHandler escape_by_store, escape_read_here;
/* It is stored in the memory that it points into. */
EscapeHandler escape_into_itself;
/* It is given to a function that keeps it, or may keep it. */
EscapeHandler escape_by_call, escape_by_unknown_call;
/* One past the end, in a structure, as a number, of a variable's address, returned. */
EscapeHandler escape_end, escape_structure, escape_number, escape_cursor, escape_returned;
/* It is saved, and published before it is used. */
EscapeHandler escape_saved;
/* Given to a function that declares to keep nothing. */
EscapeHandler escape_not;
/* By atomic and volatile accesses. */
EscapeHandler escape_atomic;
/* sartor_publish() stands in a function that is not inlined. */
EscapeHandler escape_published_elsewhere;
/* 256 parts, 200 calls that may access each: more than were kept once. */
EscapeHandler escape_many;

struct EscapePair {
  long *begin, *end;
};

extern long *escape_kept;
extern void (*escape_hook)(long *);
void escape_keep(long *pointer);
void escape_change_kept(void);
void escape_reach_back(long *end);
void escape_reach_between(struct EscapePair *pair);
void escape_by_number(unsigned long number);
long *escape_forward(long *pointer);
void escape_change(long *pointer __attribute__((noescape)));
void escape_nothing(long a);

#ifdef __cplusplus
}
#endif

#endif
