/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers whose pointers into sartor_local() memory escape. */
#ifndef SARTOR_TEST_SPECIALIZE_LOCAL_ESCAPES_H
#define SARTOR_TEST_SPECIALIZE_LOCAL_ESCAPES_H

#ifdef __cplusplus
extern "C" {
#endif

enum { escape_longs = 8, escape_many_longs = 256 };

typedef long EscapeHandler(long a, long *memory);

/* The pointer is stored in a global variable, and read there by a function, and by the handler.
 */
EscapeHandler escape_by_store, escape_read_here;
/* It is stored in the memory that it points into. */
EscapeHandler escape_into_itself;
/* It is passed to a function that stores it, or may store it. */
EscapeHandler escape_by_call, escape_by_unknown_call;
/* The pointer is one past the end, in a structure, converted to a number, to a variable that
 * holds it, or returned. */
EscapeHandler escape_end, escape_structure, escape_number, escape_cursor, escape_returned;
/* It is kept in variables as the bits of a double, in halves, byte by byte, or as a number with a
 * tag; a function that reads the memory returns it as a number. */
EscapeHandler escape_boxed, escape_halves, escape_bytes, escape_tagged, escape_found,
    escape_compressed;
/* It is stored, and published before it is used. */
EscapeHandler escape_saved;
/* It is passed to a function that is declared not to keep it. */
EscapeHandler escape_not;
/* It is accessed by atomic and volatile operations. */
EscapeHandler escape_atomic;
/* sartor_publish() is called in a function that is not inlined. */
EscapeHandler escape_published_elsewhere;
/* 256 parts, and 200 calls that may access each of them: more than an earlier limit. */
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
