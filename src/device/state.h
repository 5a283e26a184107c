/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of a device. */
#ifndef SARTOR_DEVICE_STATE_H
#define SARTOR_DEVICE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include <sartor/device/device.h>

#include "device/arena.h"
#include "device/talk.h"

enum { sartor_most_settings = 16 };

/* A handler in a context, and its code. Threads call it without a lock, so the fields that they
 * need are atomic. A thread that removes code looks for users after it has removed it, and a user
 * looks for code after it has registered as a user. */
struct sartor_version {
  _Atomic(void *) code;  /* Null if the code is not here. */
  atomic_uint users;     /* The number of threads that are inside, or about to be. */
  atomic_uint used;      /* The value of the clock when it was last entered. */
  atomic_int is_wanted;  /* It is to be requested from the server. */
  atomic_int is_refused; /* The server has refused it. */
  /* The rest is guarded by the lock. */
  int is_taken;
  /* Identifies the context: another one may replace it while the server is asked. */
  unsigned serial;
  unsigned bindings;
  unsigned handler;
  size_t setting_count;
  struct sartor_device_setting settings[sartor_most_settings];
  char *strings; /* Copies of the labels and symbols of the settings. */
  size_t at;     /* The offset of the code in the arena. */
  size_t size;
  uint32_t *invariants; /* A bit for each invariant that the code depends on. */
};

struct sartor_binding {
  _Atomic(struct sartor_version *) version; /* Null if it is not in use. */
  atomic_uint generation;
};

/* A range of invariant memory. */
struct sartor_range {
  const unsigned char *memory; /* Null if it is not in use. */
  size_t size;
  unsigned invariant; /* The index of the invariant's first range. */
  int is_broken;      /* It was revoked; threads may still be inside code that depends on it. */
};

struct sartor_device {
  const struct sartor_device_module *module;
  unsigned milliseconds;
  size_t pages;
  void (*report)(void *context, enum sartor_device_event event, const char *text);
  void *report_context;

  atomic_uint clock;      /* Incremented when code is placed. */
  unsigned context_count; /* The number of contexts of a handler, not counting the empty one, which
                             is the first. */
  unsigned binding_count;
  /* The versions of the first handler, then of the second, and so on. */
  struct sartor_version *versions;
  struct sartor_binding *bindings;
  unsigned range_count;
  uint32_t *dependencies; /* The bits of all versions. */
  const struct sartor_device_system *system;
  atomic_int is_child;

  pthread_mutex_t lock; /* Guards the following fields and the versions. */
  struct sartor_arena arena;
  struct sartor_range *ranges; /* Of range_count elements. */
  uint64_t breaks;             /* The number of revocations of invariants. */
  struct sartor_device_figures figures;

  /* Held while invariant memory is read for the server. Taken before `lock`. */
  pthread_mutex_t reading;
  pthread_mutex_t talking; /* Held while a thread talks to the server. Taken before both. */
  struct sartor_talk talk;
  uint64_t retry_at; /* A time of sartor_now(). */
  uint64_t retry_after;
  int is_lost;

  struct sartor_device *next; /* The list of all devices of this process. */
};

/* The versions of a handler: the empty one and context_count others. */
static inline struct sartor_version *sartor_versions_of(const struct sartor_device *device,
                                                        unsigned handler) {
  return device->versions + (size_t)handler * (device->context_count + 1);
}
static inline size_t sartor_version_count(const struct sartor_device *device) {
  return device->module->handler_count * (device->context_count + 1);
}

/* True if it was entered less recently. The clock may wrap around. */
static inline int sartor_is_older(const struct sartor_device *device,
                                  const struct sartor_version *version,
                                  const struct sartor_version *other) {
  const unsigned now = atomic_load(&device->clock);
  return now - atomic_load(&version->used) > now - atomic_load(&other->used);
}

/* The number of words with the bits of a version's invariants. */
static inline size_t sartor_dependency_words(const struct sartor_device *device) {
  return (device->range_count + 31) / 32;
}

/* Must not be called with `lock` or `reading` held. */
void sartor_report(struct sartor_device *device, enum sartor_device_event event, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

/* context.c. The caller holds the lock. */

/* Returns the version for a handler with the first `count` of these settings, or with fewer, which
 * it copies. */
struct sartor_version *sartor_find_context(struct sartor_device *device, unsigned handler,
                                           const struct sartor_device_setting *settings,
                                           size_t count);
/* Moves all bindings of it to a context with one setting less. Returns zero if there is none. */
int sartor_drop_setting(struct sartor_device *device, struct sartor_version *version);
/* Writes handler{label=1,...}, for people. */
void sartor_describe(const struct sartor_device *device, const struct sartor_version *version,
                     char *text, size_t size);

/* ask.c */

/* Requests code. Begins no further request after `start_until`; abandons the current one at
 * `deadline`. `first` may be null. Must not be called after a fork(). */
void sartor_fetch(struct sartor_device *device, struct sartor_version *first, uint64_t start_until,
                  uint64_t deadline);

/* invariants.c. The caller holds the lock. */

/* Writes the indices of the valid ranges, sorted by address, and returns their number. */
unsigned sartor_sort_ranges(const struct sartor_device *device, uint16_t *sorted);
/* True if all of the memory is in one valid range. */
int sartor_is_invariant(const struct sartor_device *device, uint64_t address, uint64_t size);
/* True if the invariant is declared and valid. */
int sartor_is_valid(const struct sartor_device *device, uint64_t invariant);

/* Invariants as the server lists them: numbers of eight bytes. */
struct sartor_invariant_list {
  const unsigned char *numbers;
  uint64_t count;
};

/* code.c. The caller holds the lock. */

/* The result of placing a version. */
enum sartor_placed {
  SARTOR_PLACED,
  SARTOR_NO_SPACE,
  SARTOR_UNPLACEABLE /* `why` is the reason. */
};
/* `*needed` is the number of bytes of the arena that it takes. */
enum sartor_placed sartor_place(struct sartor_device *device, struct sartor_version *version,
                                const unsigned char *image, size_t size,
                                struct sartor_invariant_list invariants, size_t *needed, char *why,
                                size_t why_size);
/* Deactivates its code. Returns zero while a thread is inside: then it is activated again. */
int sartor_evict(struct sartor_device *device, struct sartor_version *version);

#endif
