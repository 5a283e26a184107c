/* SPDX-License-Identifier: GPL-2.0-only */
/* What a packet socket sees of the sends of a sequence, on all devices. */
#ifndef WIRE_H
#define WIRE_H

#include <stddef.h>
#include <stdint.h>

enum { wire_most_bytes = 1 << 21, wire_most_frames = 4096 };

struct wire {
  unsigned char bytes[wire_most_bytes]; /* frames, one after the other */
  size_t size;
  struct {
    size_t begin, size;
    int interface;
  } frames[wire_most_frames];
  size_t count;
};
extern struct wire wire;
extern unsigned wire_frames; /* of all sequences */

void wire_open(void);
/* Forgets all frames. */
void wire_begin(void);
/* A connected socket counts its packets from a random number on: the next one begins again. */
void wire_connected(void);
void wire_read(void);
/* Nonzero and a message if other frames were sent than now. */
int wire_differs(uint64_t sequence, const struct wire *before);

#endif
