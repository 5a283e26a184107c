/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
/* Invariant memory: ranges, and the code that depends on them. */
#include <sched.h>
#include <string.h>

#include "device/state.h"

static int is_valid_range(const struct sartor_range *range) {
  return range->memory && !range->is_broken;
}

unsigned sartor_sort_ranges(const struct sartor_device *device, uint16_t *sorted) {
  unsigned count = 0;
  for (unsigned i = 0; i < device->range_count; ++i) {
    if (!is_valid_range(&device->ranges[i]))
      continue;
    unsigned at = count++;
    for (; at > 0 && device->ranges[sorted[at - 1]].memory > device->ranges[i].memory; --at)
      sorted[at] = sorted[at - 1];
    sorted[at] = (uint16_t)i;
  }
  return count;
}

int sartor_is_invariant(const struct sartor_device *device, uint64_t address, uint64_t size) {
  for (unsigned i = 0; i < device->range_count; ++i) {
    const struct sartor_range *range = &device->ranges[i];
    const uint64_t offset = address - (uintptr_t)range->memory;
    if (is_valid_range(range) && offset < range->size && size <= range->size - offset)
      return 1;
  }
  return 0;
}

int sartor_is_valid(const struct sartor_device *device, uint64_t invariant) {
  return invariant < device->range_count && is_valid_range(&device->ranges[invariant]) &&
         device->ranges[invariant].invariant == invariant;
}

/* Adds a range, and returns its index; range_count if there is no room for it. */
static unsigned add_range(struct sartor_device *device, const unsigned char *begin, size_t size) {
  unsigned free_one = device->range_count;
  if (!begin || size == 0 || (uintptr_t)begin + size < (uintptr_t)begin)
    return device->range_count;
  for (unsigned i = 0; i < device->range_count; ++i) {
    const struct sartor_range *each = &device->ranges[i];
    if (!each->memory)
      free_one = i < free_one ? i : free_one;
    else if (begin < each->memory + each->size && each->memory < begin + size)
      return device->range_count;
  }
  if (free_one < device->range_count) {
    const struct sartor_range range = {begin, size, free_one, 0};
    device->ranges[free_one] = range;
  }
  return free_one;
}

enum sartor_device_status sartor_device_declare_invariant(struct sartor_device *device,
                                                          const void *memory, size_t bytes,
                                                          unsigned *invariant) {
  pthread_mutex_lock(&device->lock);
  const unsigned added = add_range(device, memory, bytes);
  if (added < device->range_count)
    *invariant = added;
  pthread_mutex_unlock(&device->lock);
  return added < device->range_count ? SARTOR_DEVICE_OK : SARTOR_DEVICE_INVARIANTS;
}

enum sartor_device_status sartor_device_add_range(struct sartor_device *device, unsigned invariant,
                                                  const void *memory, size_t bytes) {
  pthread_mutex_lock(&device->lock);
  const int is_declared = sartor_is_valid(device, invariant);
  const unsigned added = is_declared ? add_range(device, memory, bytes) : device->range_count;
  if (added < device->range_count)
    device->ranges[added].invariant = invariant;
  pthread_mutex_unlock(&device->lock);
  return added < device->range_count ? SARTOR_DEVICE_OK : SARTOR_DEVICE_INVARIANTS;
}

/* Deactivates all code that depends on the invariant. Returns zero while a thread is inside such
 * code. */
static int invalidate(struct sartor_device *device, unsigned invariant) {
  int is_out = 1;
  for (size_t i = 0; i < sartor_version_count(device); ++i) {
    struct sartor_version *version = &device->versions[i];
    if ((version->invariants[invariant / 32] & 1u << invariant % 32) == 0)
      continue;
    /* Unlike evicted code, it is not reactivated while threads are inside. */
    atomic_store(&version->code, NULL);
    if (atomic_load(&version->users) > 0)
      is_out = 0;
    else
      sartor_evict(device, version);
  }
  return is_out;
}

enum sartor_device_status sartor_device_revoke(struct sartor_device *device, unsigned invariant) {
  const uint64_t deadline = sartor_now() + device->milliseconds * sartor_millisecond;
  pthread_mutex_lock(&device->reading); /* no thread reads it for the server now, or later */
  pthread_mutex_lock(&device->lock);
  const int is_given = invariant < device->range_count && device->ranges[invariant].memory &&
                       device->ranges[invariant].invariant == invariant;
  if (is_given && !device->ranges[invariant].is_broken) {
    for (unsigned i = 0; i < device->range_count; ++i)
      if (device->ranges[i].memory && device->ranges[i].invariant == invariant)
        device->ranges[i].is_broken = 1;
    ++device->breaks;
  }
  pthread_mutex_unlock(&device->reading);
  int is_out = 0;
  while (is_given && !(is_out = invalidate(device, invariant)) && sartor_now() < deadline) {
    pthread_mutex_unlock(&device->lock);
    sched_yield();
    pthread_mutex_lock(&device->lock);
  }
  for (unsigned i = 0; is_out && i < device->range_count; ++i)
    if (device->ranges[i].memory && device->ranges[i].invariant == invariant)
      memset(&device->ranges[i], 0, sizeof device->ranges[i]);
  pthread_mutex_unlock(&device->lock);
  return !is_given ? SARTOR_DEVICE_INVARIANTS : is_out ? SARTOR_DEVICE_OK : SARTOR_DEVICE_BUSY;
}
