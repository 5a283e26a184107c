/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_DEVICE_REQUEST_H
#define SARTOR_DEVICE_REQUEST_H

#include <stdint.h>

#include "device/bytes.h"
#include "device/state.h"

/* A request, and its cost so far. */
struct sartor_request {
  struct sartor_device *device;
  struct sartor_version *version;
  unsigned serial;
  uint64_t breaks; /* The device's count of revocations when the request began. */
  uint64_t calls;
  uint64_t pages;
  char what[256];
};

/* Writes it for the server, and fills in the fields above. */
void sartor_put_request(struct sartor_writer *writer, struct sartor_request *request);

/* Answers a question of the server: for sartor_talk_ask(). Returns zero if the question cannot be
 * read. */
int sartor_answer(void *request, unsigned kind, struct sartor_reader question,
                  struct sartor_writer *answer);

#endif
