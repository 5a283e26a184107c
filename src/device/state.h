/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a device consists of. */
#ifndef SARTOR_DEVICE_STATE_H
#define SARTOR_DEVICE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include <sartor/device.h>

#include "device/arena.h"
#include "device/talk.h"

enum { sartor_most_settings = 16, sartor_most_promises = 32 };

/* A handler in a context, and its code. Threads that call it do so without a lock: what they need
 * is atomic, and where code goes, whoever takes it away looks for users after he has taken it, and
 * they look for code after they have said that they are users. */
struct sartor_version {
  _Atomic(void *) code;  /* Null: not here. */
  atomic_uint users;     /* Threads that are inside, or about to be. */
  atomic_uint used;      /* By the clock, when it was entered last. */
  atomic_int is_wanted;  /* From the server, */
  atomic_int is_refused; /* which has said no. */
  /* The rest is behind the lock. */
  int is_taken;
  unsigned serial; /* Of the context: another one may be taken over while the server is asked. */
  unsigned tokens;
  unsigned handler;
  size_t setting_count;
  struct sartor_device_setting settings[sartor_most_settings];
  size_t at; /* Of the code, in the arena. */
  size_t size;
  uint32_t promises; /* On which the code leans. */
};

struct sartor_binding {
  _Atomic(struct sartor_version *) version; /* Null: not given. */
  atomic_uint generation;
};

struct sartor_promise {
  const unsigned char *memory; /* Null: not given. */
  size_t size;
  int is_broken; /* Threads may still be inside what leans on it. */
};

struct sartor_device {
  const struct sartor_device_module *module;
  unsigned milliseconds;
  size_t pages;
  void (*tell)(void *context, enum sartor_device_event event, const char *text);
  void *tell_context;

  atomic_uint clock;      /* Ticks when code is placed. */
  unsigned context_count; /* Of a handler, besides the empty one, which is the first of all. */
  unsigned token_count;
  struct sartor_version *versions; /* Of the first handler, of the second... */
  struct sartor_binding *bindings;
  atomic_int is_child;

  pthread_mutex_t lock; /* Over what follows, and versions. */
  struct sartor_arena arena;
  struct sartor_promise promises[sartor_most_promises];
  uint64_t breaks; /* How often a promise was taken back. */
  struct sartor_device_figures figures;

  pthread_mutex_t reading; /* While promised memory is read for the server. Before `lock`. */
  pthread_mutex_t talking; /* While somebody talks to the server. Before both. */
  struct sartor_talk talk;
  uint64_t retry_at; /* By sartor_now(). */
  uint64_t retry_after;
  int is_lost;

  struct sartor_device *next; /* Of all devices of this process. */
};

/* The versions of a handler: the empty one and context_count others. */
static inline struct sartor_version *sartor_versions_of(const struct sartor_device *device,
                                                        unsigned handler) {
  return device->versions + (size_t)handler * (device->context_count + 1);
}
static inline size_t sartor_version_count(const struct sartor_device *device) {
  return device->module->handler_count * (device->context_count + 1);
}

/* Whether it was entered less recently. The clock may wrap. */
static inline int sartor_is_older(const struct sartor_device *device,
                                  const struct sartor_version *version,
                                  const struct sartor_version *other) {
  const unsigned now = atomic_load(&device->clock);
  return now - atomic_load(&version->used) > now - atomic_load(&other->used);
}

/* Not with `lock` or `reading` held. */
void sartor_tell(struct sartor_device *device, enum sartor_device_event event, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* context.c. All with the lock held. */

/* The version for a handler with the first `count` of these settings, or with fewer. */
struct sartor_version *sartor_find_context(struct sartor_device *device, unsigned handler,
                                           const struct sartor_device_setting *settings,
                                           size_t count);
/* Puts all who are bound to it into a context with a setting less. Zero where there is none. */
int sartor_drop_setting(struct sartor_device *device, struct sartor_version *version);
/* handler{label=1,...}, for people. */
void sartor_describe(const struct sartor_device *device, const struct sartor_version *version,
                     char *text, size_t size);

/* ask.c */

/* Begins no further request after `start_until`; gives up what is under way at `deadline`. `first`
 * may be null. Not after a fork(). */
void sartor_fetch(struct sartor_device *device, struct sartor_version *first, uint64_t start_until,
                  uint64_t deadline);

/* code.c. All with the lock held. */

/* What has come of a version. */
enum sartor_placed {
  SARTOR_PLACED,
  SARTOR_NO_ROOM,
  SARTOR_UNPLACEABLE /* `why` says why. */
};
/* `*needed`: bytes of the arena that it takes. */
enum sartor_placed sartor_place(struct sartor_device *device, struct sartor_version *version,
                                const unsigned char *image, size_t size, uint32_t promises,
                                size_t *needed, char *why, size_t why_size);
/* Takes its code out of force. Zero while a thread is inside: it is in force again then. */
int sartor_evict(struct sartor_device *device, struct sartor_version *version);

#endif
