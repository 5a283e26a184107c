/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
/* Asks the server for code, and answers its questions meanwhile. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "device/call.h"
#include "device/state.h"

static const uint64_t least_retry = 100000000;
static const uint64_t most_retry = 10000000000;
static const uint64_t look_again = 1000000;

void sartor_report(struct sartor_device *device, enum sartor_device_event event, const char *format,
                   ...) {
  char text[512];
  va_list arguments;
  if (!device->report)
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  /* The text may contain strings from the server. */
  for (char *letter = text; *letter; ++letter)
    if ((unsigned char)*letter < ' ' || (unsigned char)*letter >= 0x7f)
      *letter = '?';
  device->report(device->report_context, event, text);
}

/* A request, and its cost so far. */
struct request {
  struct sartor_device *device;
  struct sartor_version *version;
  unsigned serial;
  uint64_t breaks; /* The device's count of revocations when the request began. */
  uint64_t calls;
  uint64_t pages;
  char what[256];
};

static void put_value(struct sartor_writer *writer, const struct sartor_device_setting *setting) {
  switch (setting->kind) {
  case SARTOR_DEVICE_INTEGER:
    sartor_put_number(writer, 0, 1);
    sartor_put_number(writer, 0, 1);
    sartor_put_number(writer, (uint64_t)setting->integer, 8);
    break;
  case SARTOR_DEVICE_REAL:
    sartor_put_number(writer, 1, 1);
    sartor_put(writer, &setting->real, sizeof setting->real);
    break;
  default:
    sartor_put_number(writer, 2, 1);
    sartor_put_string(writer, setting->symbol);
  }
}

static void put_settings(struct sartor_writer *writer, const struct sartor_version *version) {
  unsigned points = 0;
  for (size_t i = 0; i < version->setting_count; ++i)
    points += version->settings[i].label != NULL;
  sartor_put_number(writer, points, 8);
  for (size_t i = 0; i < version->setting_count; ++i) {
    const struct sartor_device_setting *setting = &version->settings[i];
    if (!setting->label)
      continue;
    sartor_put_string(writer, setting->label);
    put_value(writer, setting);
    sartor_put_number(writer, !setting->unguarded, 1);
  }
  /* The remaining settings, in the order of their indices. */
  sartor_put_number(writer, version->setting_count - points, 8);
  for (size_t written = points, from = 0; written < version->setting_count; ++written) {
    const struct sartor_device_setting *next = NULL;
    for (size_t i = 0; i < version->setting_count; ++i) {
      const struct sartor_device_setting *setting = &version->settings[i];
      if (!setting->label && setting->argument >= from &&
          (!next || setting->argument < next->argument))
        next = setting;
    }
    sartor_put_number(writer, next->argument, 4);
    put_value(writer, next);
    from = (size_t)next->argument + 1;
  }
}

static int is_bound_to(const struct sartor_version *version, const struct sartor_range *range) {
  for (size_t i = 0; i < version->setting_count; ++i) {
    const struct sartor_device_setting *setting = &version->settings[i];
    const uintptr_t address = (uintptr_t)setting->integer;
    if (!setting->label && setting->kind == SARTOR_DEVICE_INTEGER &&
        address - (uintptr_t)range->memory < range->size)
      return 1;
  }
  return 0;
}

/* Sends the memory that an argument points to, if it is small, so that the server need not ask for
 * it. */
static void put_memory(struct sartor_writer *writer, const struct sartor_device *device,
                       const struct sartor_version *version) {
  const struct sartor_device_module *module = device->module;
  uint16_t sorted[SARTOR_DEVICE_MOST_RANGES];
  const unsigned count = version->setting_count > 0 ? sartor_sort_ranges(device, sorted) : 0;
  size_t room = device->pages;
  sartor_put_number(writer, count, 8);
  for (unsigned i = 0; i < count; ++i) {
    const struct sartor_range *range = &device->ranges[sorted[i]];
    const int goes_along = range->size <= room && is_bound_to(version, range);
    sartor_put_number(writer, range->invariant, 8);
    sartor_put_number(writer, (uintptr_t)range->memory, 8);
    sartor_put_number(writer, range->size, 8);
    sartor_put_text(writer, range->memory, goes_along ? range->size : 0);
    room -= goes_along ? range->size : 0;
  }
  sartor_put_number(writer, count > 0 ? module->symbol_count : 0, 8);
  for (size_t i = 0; count > 0 && i < module->symbol_count; ++i) {
    sartor_put_string(writer, module->symbols[i].name);
    sartor_put_number(writer, (uintptr_t)module->symbols[i].address, 8);
  }
}

static void put_request(struct sartor_writer *writer, struct request *request) {
  struct sartor_device *device = request->device;
  const struct sartor_version *version = request->version;
  pthread_mutex_lock(&device->reading);
  pthread_mutex_lock(&device->lock);
  request->serial = version->serial;
  request->breaks = device->breaks;
  sartor_describe(device, version, request->what, sizeof request->what);
  sartor_put_string(writer, device->module->handlers[version->handler].name);
  put_settings(writer, version);
  sartor_put_number(writer, version->setting_count == 0, 1);
  put_memory(writer, device, version);
  pthread_mutex_unlock(&device->lock);
  pthread_mutex_unlock(&device->reading);
}

/* True if all of the memory is invariant. `reading` must be held, so that it stays so. */
static int is_invariant(struct sartor_device *device, uint64_t address, uint64_t size) {
  pthread_mutex_lock(&device->lock);
  const int found = sartor_is_invariant(device, address, size);
  pthread_mutex_unlock(&device->lock);
  return found;
}

static int answer_page(struct request *request, struct sartor_reader question,
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
static int is_offered(struct request *request, uint64_t address) {
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
static int may_call(struct request *request, const struct call *call) {
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
static int answer_call(struct request *request, struct sartor_reader question,
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

static int answer(void *context, unsigned kind, struct sartor_reader question,
                  struct sartor_writer *to) {
  return kind == SARTOR_FRAME_PAGE ? answer_page(context, question, to)
                                   : answer_call(context, question, to);
}

/* A remote::Customized. read_customized() returns zero for other bytes. */
struct customized {
  struct sartor_invariant_list invariants;
  uint64_t remark_count;
  struct sartor_reader remarks;
  const unsigned char *image;
  size_t image_size;
};
static int read_customized(const struct sartor_device *device, struct sartor_reader reader,
                           struct customized *made) {
  const uint64_t count = sartor_take_number(&reader, 8);
  if (count > SARTOR_DEVICE_MOST_RANGES)
    return 0;
  made->invariants.count = count;
  made->invariants.numbers = sartor_take(&reader, 8 * count);
  for (uint64_t i = 0; reader.good && i < count; ++i)
    if (sartor_number_at(made->invariants.numbers + 8 * i, 8) >= device->range_count)
      return 0;
  made->remark_count = sartor_take_number(&reader, 8);
  made->remarks = reader;
  for (uint64_t i = 0; reader.good && i < made->remark_count; ++i) {
    size_t size;
    sartor_take_number(&reader, 1); /* the code */
    sartor_take_text(&reader, &size);
  }
  made->image = sartor_take_text(&reader, &made->image_size);
  return reader.good && reader.size == 0;
}

static void report_remarks(struct request *request, struct customized *made) {
  for (uint64_t i = 0; i < made->remark_count; ++i) {
    size_t size;
    sartor_take_number(&made->remarks, 1);
    const char *text = (const char *)sartor_take_text(&made->remarks, &size);
    sartor_report(request->device, SARTOR_DEVICE_EVENT_REMARK, "%s: %.*s", request->what, (int)size,
                  text);
  }
}

static void refuse(struct sartor_version *version) {
  atomic_store(&version->is_refused, 1);
  atomic_store(&version->is_wanted, 0);
}

/* Activates the code, unless it is outdated meanwhile. */
static void use(struct request *request, const struct customized *made) {
  struct sartor_device *device = request->device;
  struct sartor_version *version = request->version;
  enum sartor_placed placed = SARTOR_PLACED;
  int is_dropped = 0;
  size_t needed = 0;
  char why[256];
  pthread_mutex_lock(&device->lock);
  const uint64_t evicted = device->figures.evicted;
  if (version->serial == request->serial && atomic_load(&version->is_wanted) &&
      !(made->invariants.count > 0 && device->breaks != request->breaks)) {
    placed = sartor_place(device, version, made->image, made->image_size, made->invariants, &needed,
                          why, sizeof why);
    /* If code is in use, it is requested again at the next call. */
    atomic_store(&version->is_wanted, 0);
    if (placed == SARTOR_UNPLACEABLE)
      refuse(version);
    if (placed == SARTOR_NO_SPACE && needed > device->arena.size) {
      is_dropped = sartor_drop_setting(device, version);
      if (!is_dropped)
        refuse(version);
    }
    if (placed == SARTOR_PLACED)
      device->figures.request_code = version->size;
  }
  const uint64_t gone = device->figures.evicted - evicted;
  pthread_mutex_unlock(&device->lock);
  if (gone > 0)
    sartor_report(device, SARTOR_DEVICE_EVENT_EVICTED, "%llu variants have made room for %s",
                  (unsigned long long)gone, request->what);
  if (placed == SARTOR_UNPLACEABLE)
    sartor_report(device, SARTOR_DEVICE_EVENT_UNPLACED, "%s: %s", request->what, why);
  if (placed == SARTOR_NO_SPACE)
    sartor_report(device, is_dropped ? SARTOR_DEVICE_EVENT_DROPPED : SARTOR_DEVICE_EVENT_UNPLACED,
                  "%s: its %zu bytes %s", request->what, needed,
                  needed > device->arena.size ? "are more than code_bytes"
                                              : "find no room beside what is in use");
}

static void note_link(struct sartor_device *device, enum sartor_talk_outcome outcome) {
  if (outcome == SARTOR_TALK_ANSWERED || outcome == SARTOR_TALK_REFUSED) {
    device->retry_at = 0;
    device->retry_after = 0;
    if (device->is_lost)
      sartor_report(device, SARTOR_DEVICE_EVENT_RECONNECTED, "%s is there again",
                    device->talk.server);
    device->is_lost = 0;
    return;
  }
  device->retry_after = device->retry_after == 0 ? least_retry : 2 * device->retry_after;
  if (device->retry_after > most_retry)
    device->retry_after = most_retry;
  device->retry_at = sartor_now() + device->retry_after;
  if (outcome == SARTOR_TALK_FORGED)
    sartor_report(device, SARTOR_DEVICE_EVENT_FORGED, "%s", device->talk.text);
  else if (!device->is_lost)
    sartor_report(device, SARTOR_DEVICE_EVENT_LOST, "%s", device->talk.text);
  device->is_lost = 1;
}

static void note_figures(struct request *request, uint64_t begin, size_t answer_size) {
  struct sartor_device *device = request->device;
  struct sartor_device_figures *figures = &device->figures;
  pthread_mutex_lock(&device->lock);
  ++figures->requests;
  figures->calls += request->calls;
  figures->pages += request->pages;
  figures->sent = device->talk.channel.link.sent;
  figures->received = device->talk.channel.link.received;
  figures->request_ns = sartor_now() - begin;
  figures->request_turns = request->calls + request->pages +
                           (answer_size + SARTOR_DEVICE_WINDOW - 1) / SARTOR_DEVICE_WINDOW;
  figures->turn_ns = device->talk.turn_ns;
  pthread_mutex_unlock(&device->lock);
}

static void fetch_one(struct sartor_device *device, struct sartor_version *version,
                      uint64_t deadline) {
  struct request request = {device, version, 0, 0, 0, 0, ""};
  struct sartor_writer question = {.system = device->system};
  struct sartor_reader reader = {NULL, 0, 0};
  struct customized made;
  const uint64_t limit = sartor_now() + device->milliseconds * sartor_millisecond;
  deadline = limit < deadline ? limit : deadline;
  uint64_t begin = 0;
  enum sartor_talk_outcome outcome = sartor_talk_begin(&device->talk, deadline);
  if (outcome == SARTOR_TALK_ANSWERED) {
    put_request(&question, &request);
    begin = sartor_now();
    if (question.failed)
      snprintf(device->talk.text, sizeof device->talk.text, "there is no memory to ask");
    outcome = question.failed
                  ? SARTOR_TALK_LOST
                  : sartor_talk_ask(&device->talk, deadline, &question, answer, &request, &reader);
    sartor_forget(&question);
  } else {
    sartor_describe(device, version, request.what, sizeof request.what);
  }
  note_link(device, outcome);
  if (outcome == SARTOR_TALK_REFUSED) {
    refuse(version);
    sartor_report(device, SARTOR_DEVICE_EVENT_REFUSED, "%s: %s", request.what, device->talk.text);
  } else if (outcome == SARTOR_TALK_ANSWERED && read_customized(device, reader, &made)) {
    use(&request, &made);
    note_figures(&request, begin, reader.size);
    report_remarks(&request, &made);
  } else if (outcome == SARTOR_TALK_ANSWERED) {
    refuse(version);
    sartor_report(device, SARTOR_DEVICE_EVENT_UNPLACED,
                  "%s: the answer is of another version of Sartor", request.what);
  }
}

/* Returns the next version to request; handlers that have no code at all come first. */
static struct sartor_version *next_wanted(const struct sartor_device *device,
                                          struct sartor_version *first) {
  struct sartor_version *found = NULL;
  if (first && atomic_load(&first->is_wanted))
    return first;
  for (size_t i = 0; i < sartor_version_count(device); ++i)
    if (atomic_load(&device->versions[i].is_wanted)) {
      if (i % (device->context_count + 1) == 0)
        return &device->versions[i];
      found = found ? found : &device->versions[i];
    }
  return found;
}

static void sleep_until(uint64_t time) {
  const uint64_t now = sartor_now();
  const uint64_t left = time > now ? time - now : 0;
  const struct timespec pause = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
  (void)nanosleep(&pause, NULL);
}

void sartor_fetch(struct sartor_device *device, struct sartor_version *first, uint64_t start_until,
                  uint64_t deadline) {
  for (uint64_t now = sartor_now(); now < start_until; now = sartor_now()) {
    if (first && !atomic_load(&first->is_wanted))
      return;
    if (pthread_mutex_trylock(&device->talking) != 0) { /* another thread talks to the server */
      sleep_until(now + look_again);
      continue;
    }
    struct sartor_version *version = next_wanted(device, first);
    const uint64_t retry_at = device->retry_at;
    if (version && now >= retry_at)
      fetch_one(device, version, deadline);
    pthread_mutex_unlock(&device->talking);
    if (!version)
      return;
    if (now < retry_at)
      sleep_until(retry_at < start_until ? retry_at : start_until);
  }
}
