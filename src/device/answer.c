/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Answers questions of the server, which are checked against what the device knows itself. */
#include <string.h>

#include "device/call.h"
#include "device/request.h"

/* True if all of the memory is invariant. `reading` must be held, so that it stays so. */
static int is_invariant(struct sartor_device *device, uint64_t address, uint64_t size) {
  pthread_mutex_lock(&device->lock);
  const int found = sartor_is_invariant(device, address, size);
  pthread_mutex_unlock(&device->lock);
  return found;
}

static int answer_page(struct sartor_request *request, struct sartor_reader question,
                       struct sartor_writer *answer) {
  const uint64_t address = sartor_take_number(&question, 8);
  const uint64_t size = sartor_take_number(&question, 8);
  if (!question.good || size > SARTOR_DEVICE_PAGE)
    return 0;
  ++request->pages;
  pthread_mutex_lock(&request->device->reading);
  if (is_invariant(request->device, address, size))
    sartor_put(answer, (const void *)(uintptr_t)address, (size_t)size);
  pthread_mutex_unlock(&request->device->reading);
  return 1;
}

static const struct sartor_foldable *find_foldable(const struct sartor_device_module *module,
                                                   uint64_t address) {
  for (size_t i = 0; i < module->foldable_count; ++i)
    if (address != 0 && (uintptr_t)module->foldables[i].function == address)
      return &module->foldables[i];
  return NULL;
}

/* A call that the server asks for. */
struct call {
  uint64_t function;
  unsigned result;
  const unsigned char *types;
  const unsigned char *bits; /* Eight bytes for each argument. */
  size_t count;
};

/* Returns zero on overflow. */
static int bytes_behind(const struct call *call, const struct sartor_extent *extent,
                        uint64_t *bytes) {
  uint64_t count = 1;
  if (extent->count != SARTOR_ONCE && extent->count != SARTOR_OFFERED) {
    if (extent->count >= call->count)
      return 0;
    count = sartor_number_at(call->bits + 8 * extent->count, 8);
  }
  if (count != 0 && extent->bytes > UINT64_MAX / count)
    return 0;
  *bytes = extent->bytes * count;
  *bytes += *bytes == 0;
  return 1;
}

static int is_stored_in(const struct sartor_range *range, uintptr_t address) {
  const size_t aligned = -(uintptr_t)range->memory % sizeof address;
  for (size_t at = aligned; at + sizeof address <= range->size; at += sizeof address)
    if (memcmp(range->memory + at, &address, sizeof address) == 0)
      return 1;
  return 0;
}

/* True if the program itself has this pointer: it is the beginning of invariant memory, an argument
 * of the context, or stored in invariant memory. `reading` must be held. */
static int is_offered(struct sartor_request *request, uint64_t address) {
  struct sartor_device *device = request->device;
  const struct sartor_version *version = request->version;
  int found = 0;
  pthread_mutex_lock(&device->lock);
  for (size_t i = 0; i < version->setting_count; ++i) {
    const struct sartor_device_setting *setting = &version->settings[i];
    found |= !setting->label && setting->kind == SARTOR_DEVICE_INTEGER &&
             (uint64_t)setting->integer == address;
  }
  for (unsigned i = 0; i < device->range_count && !found; ++i) {
    const struct sartor_range *range = &device->ranges[i];
    if (range->memory && !range->is_broken)
      found = (uintptr_t)range->memory == address || is_stored_in(range, (uintptr_t)address);
  }
  pthread_mutex_unlock(&device->lock);
  return found;
}

/* Checks a call independent of the server's claims: the function may be called, the result and the
 * arguments have the types that it has here, and all memory that it reads behind its pointers is
 * invariant. `reading` must be held. */
static int may_call(struct sartor_request *request, const struct call *call) {
  struct sartor_device *device = request->device;
  const struct sartor_foldable *function = find_foldable(device->module, call->function);
  if (!function || !function->extents || function->parameters != call->count ||
      function->types[0] != call->result ||
      memcmp(function->types + 1, call->types, call->count) != 0)
    return 0;
  for (size_t i = 0; i < call->count; ++i) {
    const uint64_t address = sartor_number_at(call->bits + 8 * i, 8);
    uint64_t bytes;
    if (call->types[i] == SARTOR_SCALAR_POINTER &&
        (address == 0 || !bytes_behind(call, &function->extents[i], &bytes) ||
         !is_invariant(device, address, bytes) ||
         (function->extents[i].count == SARTOR_OFFERED && !is_offered(request, address))))
      return 0;
  }
  return 1;
}

static int are_unbroken(struct sartor_device *device, const unsigned char *invariants,
                        uint64_t count) {
  int good = 1;
  pthread_mutex_lock(&device->lock);
  for (uint64_t i = 0; i < count; ++i)
    good = good && sartor_is_valid(device, sartor_number_at(invariants + 8 * i, 8));
  pthread_mutex_unlock(&device->lock);
  return good;
}

/* remote::CallOrder. */
static int answer_call(struct sartor_request *request, struct sartor_reader question,
                       struct sartor_writer *answer) {
  struct call call;
  const uint64_t invariant_count = sartor_take_number(&question, 8);
  const unsigned char *invariants = invariant_count <= SARTOR_DEVICE_MOST_RANGES
                                        ? sartor_take(&question, 8 * invariant_count)
                                        : NULL;
  call.function = sartor_take_number(&question, 8);
  call.result = (unsigned)sartor_take_number(&question, 1);
  call.types = sartor_take_text(&question, &call.count);
  const uint64_t argument_count = sartor_take_number(&question, 8);
  call.bits = argument_count == call.count ? sartor_take(&question, 8 * argument_count) : NULL;
  if (!question.good || !invariants || !call.types || !call.bits)
    return 0;
  ++request->calls;
  uint64_t called = 0;
  int fault = 0;
  pthread_mutex_lock(&request->device->reading);
  int is_good =
      may_call(request, &call) && are_unbroken(request->device, invariants, invariant_count);
  if (is_good) {
    fault = sartor_call((uintptr_t)call.function, call.result, call.types, call.bits, call.count,
                        &called);
    is_good = fault == 0;
  }
  pthread_mutex_unlock(&request->device->reading);
  if (fault > 0)
    sartor_report(request->device, SARTOR_DEVICE_EVENT_REMARK,
                  "%s: fold_call_failed: %s() has ended by signal %d; the variant calls it",
                  request->what, find_foldable(request->device->module, call.function)->name,
                  fault);
  sartor_put_number(answer, (uint64_t)is_good, 1);
  if (is_good)
    sartor_put_number(answer, called, 8);
  return 1;
}

int sartor_answer(void *request, unsigned kind, struct sartor_reader question,
                  struct sartor_writer *answer) {
  return kind == SARTOR_FRAME_PAGE ? answer_page(request, question, answer)
                                   : answer_call(request, question, answer);
}
