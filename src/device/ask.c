/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
/* Asks the server for code, and answers its questions meanwhile. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "device/request.h"

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

static void report_remarks(struct sartor_request *request, struct customized *made) {
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

/* Does nothing if another context has replaced the one that was asked for. */
static void refuse_request(const struct sartor_request *request) {
  pthread_mutex_lock(&request->device->lock);
  if (request->version->serial == request->serial)
    refuse(request->version);
  pthread_mutex_unlock(&request->device->lock);
}

/* Activates the code, unless it is outdated meanwhile. */
static void use(struct sartor_request *request, const struct customized *made) {
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
                                              : "do not fit next to the code in use");
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

static void note_figures(struct sartor_request *request, uint64_t begin, size_t answer_size) {
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
  struct sartor_request request = {device, version, 0, 0, 0, 0, ""};
  struct sartor_writer question = {.system = device->system};
  struct sartor_reader reader = {NULL, 0, 0};
  struct customized made;
  const uint64_t limit = sartor_now() + device->milliseconds * sartor_millisecond;
  deadline = limit < deadline ? limit : deadline;
  uint64_t begin = 0;
  enum sartor_talk_outcome outcome = sartor_talk_begin(&device->talk, deadline);
  if (outcome == SARTOR_TALK_ANSWERED) {
    sartor_put_request(&question, &request);
    begin = sartor_now();
    if (question.failed)
      snprintf(device->talk.text, sizeof device->talk.text, "there is no memory to ask");
    outcome = question.failed ? SARTOR_TALK_LOST
                              : sartor_talk_ask(&device->talk, deadline, &question, sartor_answer,
                                                &request, &reader);
    sartor_forget(&question);
  } else {
    pthread_mutex_lock(&device->lock);
    request.serial = version->serial;
    sartor_describe(device, version, request.what, sizeof request.what);
    pthread_mutex_unlock(&device->lock);
  }
  note_link(device, outcome);
  if (outcome == SARTOR_TALK_REFUSED) {
    refuse_request(&request);
    sartor_report(device, SARTOR_DEVICE_EVENT_REFUSED, "%s: %s", request.what, device->talk.text);
  } else if (outcome == SARTOR_TALK_ANSWERED && read_customized(device, reader, &made)) {
    use(&request, &made);
    note_figures(&request, begin, reader.size);
    report_remarks(&request, &made);
  } else if (outcome == SARTOR_TALK_ANSWERED) {
    refuse_request(&request);
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
