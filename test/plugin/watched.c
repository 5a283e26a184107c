/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled several times, each with another WATCHED_CASES: as plain C and with guards. */
#include "watched.h"

#include <stdlib.h>
#include <string.h>

static const struct Object other = {.plain = 7, .number = 70, .counter = 9, .end = "other"};

static void assignment(struct Object *o) { o->number = 5; }
static void compound_assignment(struct Object *o) { o->number += 5; }
static void increment(struct Object *o) { ++o->number; }
static void post_decrement(struct Object *o) { o->number--; }
static void chained_assignment(struct Object *o) { o->plain = o->number = 6; }
static void pointer_field(struct Object *o) { o->text = "text"; }
static void floating_field(struct Object *o) { o->weight *= 2.5; }
static void bit_field(struct Object *o) { o->low = 5; }
static void bit_field_beside(struct Object *o) { o->high = 9; }
static void element(struct Object *o) { o->list[2] = 8; }
static void element_by_index(struct Object *o) {
  for (int i = 1; i < o->plain; ++i)
    o->list[i] = i;
}
static void in_nested(struct Object *o) { o->inner.tight = 4; }
static void in_watched_struct(struct Object *o) { o->pair.loose = 4; }
static void nested_struct(struct Object *o) { o->inner = (struct Inner){3, 4}; }
static void in_union(struct Object *o) { o->word.whole = 11; }
static void beside_in_union(struct Object *o) { o->word.bytes[1] = 12; }
static void anonymous(struct Object *o) { o->hidden = 13; }
static void whole_object(struct Object *o) { *o = other; }
static void whole_by_result(struct Object *o) {
  struct Object changed = *o;
  changed.number = 99;
  *o = changed;
}
static void copy_memory(struct Object *o) { memcpy(o, &other, sizeof *o); }
static void move_memory(struct Object *o) { memmove(o, o + 1, sizeof *o); }
static void set_memory(struct Object *o) { memset(o, 1, sizeof *o); }
static void set_from_field(struct Object *o) {
  memset(&o->number, 0, offsetof(struct Object, end) - offsetof(struct Object, number));
}
static void set_from_beside(struct Object *o) {
  memset(&o->plain, 0, offsetof(struct Object, end) - offsetof(struct Object, plain));
}
static void copy_to_field(struct Object *o) { memcpy(o->list, &other, sizeof o->list); }
static void checked_copy(struct Object *o) {
  volatile size_t size = sizeof *o;
  __builtin___memcpy_chk(o, &other, size, sizeof *o);
}
static void called_copy(struct Object *o) {
  volatile size_t size = sizeof *o;
  memcpy(o, &other, size);
}
static void as_bytes(struct Object *o) { ((char *)o)[offsetof(struct Object, number)] = 1; }
static void atomic_store(struct Object *o) { __atomic_store_n(&o->counter, 3, __ATOMIC_RELEASE); }
static void atomic_exchange(struct Object *o) {
  o->plain = (int)__atomic_exchange_n(&o->counter, 4, __ATOMIC_ACQ_REL);
}
static void atomic_add(struct Object *o) {
  o->plain = (int)__atomic_fetch_add(&o->counter, 4, __ATOMIC_SEQ_CST);
}
static void compare_exchange(struct Object *o) {
  long expected = 1;
  o->plain =
      __atomic_compare_exchange_n(&o->counter, &expected, 8, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}
static void by_pointer(struct Object *o) {
  int *number = &o->number;
  *number = 14;
}
__attribute__((noinline)) static void set(int *to, int value) { *to = value; }
static void by_function(struct Object *o) { set(&o->number, 15); }
static int *same(int *address) { return address; }
static void set_with(int *list, struct Object *o) {
  if (o->plain == 77)
    *list = 20;
  *same(&o->number) = 21;
}
static void by_result_in_copy(struct Object *o) { set_with(o->list, o); }
static void set_by_label(int *to, int how) {
  static const void *const ways[] = {&&done, &&set, &&other};
  goto *ways[how];
set:
  *to = 18;
  goto *ways[0];
other:
  *to = 19;
done:;
}
static void by_label(struct Object *o) { set_by_label(&o->number, 1); }
static void by_conditional(struct Object *o) { *(o->plain ? &o->number : &o->plain) = 16; }
static void by_assembly(struct Object *o) { __asm__("movl $17, %0" : "=r"(o->number)); }

static const struct WatchCase guarded[] = {
    WATCH_CASE(assignment, number),
    WATCH_CASE(compound_assignment, number),
    WATCH_CASE(increment, number),
    WATCH_CASE(post_decrement, number),
    WATCH_CASE(chained_assignment, number),
    WATCH_CASE(pointer_field, text),
    WATCH_CASE(floating_field, weight),
    WATCH_CASE_AT(bit_field, 8, 1),
    WATCH_CASE_AT(bit_field_beside, 8, 1),
    WATCH_CASE_AT(element, offsetof(struct Object, list) + 8, 4),
    WATCH_CASE_AT(element_by_index, offsetof(struct Object, list) + 4, 4),
    WATCH_CASE(in_nested, inner.tight),
    WATCH_CASE(in_watched_struct, pair.loose),
    WATCH_CASE(nested_struct, inner),
    WATCH_CASE(in_union, word),
    WATCH_CASE_AT(beside_in_union, offsetof(struct Object, word) + 1, 1),
    WATCH_CASE(anonymous, hidden),
    WATCH_CASE_AT(whole_object, 0, sizeof(struct Object)),
    WATCH_CASE_AT(whole_by_result, 0, sizeof(struct Object)),
    WATCH_CASE_AT(copy_memory, 0, sizeof(struct Object)),
    WATCH_CASE_AT(move_memory, 0, sizeof(struct Object)),
    WATCH_CASE_AT(set_memory, 0, sizeof(struct Object)),
    WATCH_CASE_AT(set_from_field, 4, offsetof(struct Object, end) - 4),
    WATCH_CASE_AT(set_from_beside, 0, offsetof(struct Object, end)),
    WATCH_CASE(copy_to_field, list),
    WATCH_CASE_AT(checked_copy, 0, sizeof(struct Object)),
    WATCH_CASE_AT(called_copy, 0, sizeof(struct Object)),
    WATCH_CASE_AT(as_bytes, offsetof(struct Object, number), 1),
    WATCH_CASE(atomic_store, counter),
    WATCH_CASE(atomic_exchange, counter),
    WATCH_CASE(atomic_add, counter),
    WATCH_CASE(compare_exchange, counter),
    WATCH_CASE(by_pointer, number),
    WATCH_CASE(by_function, number),
    WATCH_CASE(by_result_in_copy, number),
    WATCH_CASE(by_label, number),
    WATCH_CASE(by_conditional, number),
    WATCH_CASE(by_assembly, number),
};

static void local(struct Object *o) {
  struct Object fresh = {.plain = 2};
  fresh.number = o->plain;
  fresh.low = 2;
  memset(fresh.list, 0, sizeof fresh.list);
  o->plain = fresh.number + (int)fresh.low;
}
static struct Object made(int number) {
  struct Object fresh = {0};
  fresh.number = number;
  return fresh;
}
static void result(struct Object *o) { o->plain = made(o->plain).number; }
static void reads(struct Object *o) {
  const int *number = &o->number;
  o->plain = *number + o->list[o->plain] + (int)strlen(o->end) +
             (memcmp(o->list, other.list, sizeof other.list) < 0);
}
static void beside(struct Object *o) {
  o->plain = 3;
  memset(o->end, 0, sizeof o->end);
  memset(&o->plain, 1, sizeof o->plain);
  o->inner.loose = 2;
}

static const struct WatchCase fresh[] = {
    WATCH_CASE_AT(local, 0, 0),
    WATCH_CASE_AT(result, 0, 0),
    WATCH_CASE_AT(reads, 0, 0),
    WATCH_CASE_AT(beside, 0, 0),
};

WATCH_CASES(WATCHED_CASES, guarded, fresh);
