/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ECHO_RING_H
#define ECHO_RING_H

#include <stdbool.h>
#include <stddef.h>

/** An element of a doubly linked ring, or its head. An element that is in no ring points to
 * itself. */
struct Ring {
  struct Ring *next, *previous;
};

static inline void ring_clear(struct Ring *place) { place->next = place->previous = place; }
static inline bool ring_is_empty(const struct Ring *place) { return place->next == place; }

static inline void ring_remove(struct Ring *place) {
  place->previous->next = place->next;
  place->next->previous = place->previous;
  ring_clear(place);
}

/** Appends an element to the ring of `head`, unless it is in a ring already. */
static inline void ring_append(struct Ring *head, struct Ring *place) {
  if (!ring_is_empty(place))
    return;
  place->previous = head->previous;
  place->next = head;
  head->previous->next = place;
  head->previous = place;
}

/** Removes and returns the first element; null if the ring is empty. */
static inline struct Ring *ring_take(struct Ring *head) {
  struct Ring *first = head->next;
  if (first == head)
    return NULL;
  ring_remove(first);
  return first;
}

#endif
