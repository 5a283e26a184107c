/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * device_program CASE SERVER SERVER.pub [DEVICE.key]: runs one case of a device's life. Linked
 * without handlers.c, it is a device without generic code (BARE). */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sartor/device/device.h>

#include "check.h"
#include "handlers.h"

extern const struct sartor_device_module handlers_module;

int64_t calls_seen;
const int32_t weights[8] = {3, -1, 4, 1, -5, 9, 2, 6};
int64_t outside(int64_t a, int64_t b) { return a ^ (b + 1); }
double outside_real(double a) { return a * a + 1; }
int64_t hidden_limit = INT64_MAX;
void give_up(int64_t a) { exit(a == 0 ? 4 : 5); }

typedef int64_t (*handler)(int64_t, int64_t);
typedef int64_t (*searcher)(const struct rule *, int64_t);

enum { inputs = 400 };
enum { forever = 60000, soon = 300 };

/* Number of reports, by event. */
static atomic_int reported[16];
static char last_text[16][512];

static void report(void *context, enum sartor_device_event event, const char *text) {
  (void)context;
  ++reported[event];
  snprintf(last_text[event], sizeof last_text[event], "%s", text);
  printf("%d: %s\n", (int)event, text);
  fflush(stdout);
}

static struct sartor_device_options options;
static unsigned char server_key[32];
static unsigned char key[64];

static struct sartor_device *open_device(void) {
  struct sartor_device *device;
  CHECK(sartor_device_open(&options, &device) == SARTOR_DEVICE_OK);
  return device;
}

/* Tries to fetch code until the event is reported. The server may take its time to answer. */
static void attend_until(struct sartor_device *device, enum sartor_device_event event) {
  while (reported[event] == 0)
    CHECK(sartor_device_attend(device, soon) == SARTOR_DEVICE_MISSING);
}

/* The results of the handlers, computed independently. */
static int64_t expected_sums(int64_t a, int64_t b) {
  int64_t sum = 0;
  for (int64_t i = 0; i < a; i += b > 0 ? b : 1)
    sum = (int64_t)((uint64_t)sum + (uint64_t)i * (uint64_t)(int64_t)weights[i & 7]);
  return sum;
}

static int64_t input(int i, int64_t most) {
  const uint64_t mixed = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
  return i % 3 == 0 ? i % (most + 1) : (int64_t)((mixed >> 17) % (uint64_t)(most + 1));
}

static void check_sums(struct sartor_device *device, sartor_device_binding binding) {
  for (int i = 0; i < inputs; ++i) {
    const int64_t a = input(i, 120);
    const int64_t b = 1 + i % 3;
    const struct sartor_device_code code = sartor_device_enter(device, binding);
    CHECK(code.function);
    const int64_t before = calls_seen;
    const int64_t sum = ((handler)code.function)(a, b);
    CHECK(calls_seen == before + 1);
    sartor_device_leave(device, code);
    CHECK(sum == expected_sums(a, b));
  }
}

static int is_variant(struct sartor_device *device, sartor_device_binding binding) {
  const struct sartor_device_code code = sartor_device_enter(device, binding);
  sartor_device_leave(device, code);
  return code.is_variant;
}

static sartor_device_binding customize_sums(struct sartor_device *device, int64_t count,
                                            int64_t step) {
  const struct sartor_device_setting settings[] = {sartor_device_point("count", count),
                                                   sartor_device_point("step", step)};
  sartor_device_binding binding;
  CHECK(sartor_device_customize(device, "sums", settings, 2, &binding) == SARTOR_DEVICE_OK);
  return binding;
}

static void same_results(void) {
  struct sartor_device *device = open_device();
  const sartor_device_binding binding = customize_sums(device, 12, 3);
  check_sums(device, binding); /* by the generic code, which a bare device has fetched by itself */
  CHECK(!is_variant(device, binding) || handlers_module.handlers[0].address == NULL);
  CHECK(sartor_device_wait(device, binding, forever) == SARTOR_DEVICE_OK);
  CHECK(is_variant(device, binding));
  check_sums(device, binding); /* most calls fail a guard */
  CHECK(handlers_module.guard_failures[0] > 0);
  /* The same context shares its code; different contexts do not. */
  const sartor_device_binding again = customize_sums(device, 12, 3);
  CHECK(sartor_device_wait(device, again, 0) == SARTOR_DEVICE_OK);
  const sartor_device_binding other = customize_sums(device, 100, 1);
  CHECK(sartor_device_attend(device, forever) == SARTOR_DEVICE_OK);
  CHECK(is_variant(device, other));
  check_sums(device, other);
  check_sums(device, again);
  struct sartor_device_setting unguarded = sartor_device_argument(0, 50);
  sartor_device_binding bound;
  CHECK(sartor_device_customize(device, "sums", &unguarded, 1, &bound) == SARTOR_DEVICE_OK);
  CHECK(sartor_device_wait(device, bound, forever) == SARTOR_DEVICE_OK);
  const struct sartor_device_code code = sartor_device_enter(device, bound);
  CHECK(code.is_variant && ((handler)code.function)(50, 2) == expected_sums(50, 2));
  sartor_device_leave(device, code);
  /* Bindings end. */
  CHECK(sartor_device_cancel(device, binding) == SARTOR_DEVICE_OK);
  CHECK(sartor_device_cancel(device, binding) == SARTOR_DEVICE_UNKNOWN_BINDING);
  CHECK(sartor_device_enter(device, binding).status == SARTOR_DEVICE_UNKNOWN_BINDING);
  CHECK(sartor_device_enter(device, 0).status == SARTOR_DEVICE_UNKNOWN_BINDING);
  CHECK(sartor_device_enter(device, 0xffffffff).status == SARTOR_DEVICE_UNKNOWN_BINDING);
  check_sums(device, again);
  sartor_device_binding none;
  CHECK(sartor_device_customize(device, "nothing", NULL, 0, &none) == SARTOR_DEVICE_HANDLER);
  const struct sartor_device_figures figures = sartor_device_figures(device);
  CHECK(figures.requests >= 3 && figures.code > 0 && figures.sent > 0 && figures.turn_ns > 0);
  sartor_device_close(device);
}

/* All handlers, generic and specialized, over many inputs. */
static void every_handler(void) {
  static const char *const names[] = {"divisions", "reals", "choices", "copies", "narrow"};
  struct sartor_device *device = open_device();
  for (unsigned n = 0; n < sizeof names / sizeof *names; ++n) {
    struct sartor_device_setting settings[1];
    settings[0] = n == 0   ? sartor_device_point("divisor", 7)
                  : n == 1 ? sartor_device_real("scale", 3.0)
                  : n == 2 ? sartor_device_point("way", 3)
                  : n == 3 ? sartor_device_point("size", 17)
                           : sartor_device_point("low", 255);
    sartor_device_binding plain;
    sartor_device_binding fitted;
    CHECK(sartor_device_customize(device, names[n], NULL, 0, &plain) == SARTOR_DEVICE_OK);
    CHECK(sartor_device_customize(device, names[n], settings, 1, &fitted) == SARTOR_DEVICE_OK);
    CHECK(sartor_device_wait(device, fitted, forever) == SARTOR_DEVICE_OK);
    for (int i = 0; i < inputs; ++i)
      for (int64_t b = -3; b < 20; ++b) {
        const int64_t a = input(i, 100000) * (i % 2 == 0 ? 1 : -1);
        const struct sartor_device_code generic = sartor_device_enter(device, plain);
        const struct sartor_device_code variant = sartor_device_enter(device, fitted);
        CHECK(generic.function && variant.is_variant && !generic.is_variant);
        CHECK(((handler)generic.function)(a, b) == ((handler)variant.function)(a, b));
        sartor_device_leave(device, variant);
        sartor_device_leave(device, generic);
      }
  }
  sartor_device_close(device);
}

enum { rules = 300 };
static struct rule list[rules];

static void make_rules(int32_t offset) {
  for (int i = 0; i < rules; ++i) {
    list[i].from = (uint32_t)(i * 10);
    list[i].to = (uint32_t)(i * 10 + i % 10);
    list[i].verdict = i * 7 + offset;
    list[i].next = i + 1 < rules ? &list[i + 1] : NULL;
  }
}

static int64_t expected_verdict(int first, int last, int64_t searched) {
  for (int i = first; i <= last; ++i)
    if ((uint64_t)searched >= list[i].from && (uint64_t)searched <= list[i].to)
      return list[i].verdict + (int32_t)(list[i].to - list[i].from) * 3;
  return -1;
}

static void check_verdicts(struct sartor_device *device, sartor_device_binding binding, int first) {
  for (int64_t i = -5; i < 10 * rules + 20; i += 3) {
    const struct sartor_device_code code = sartor_device_enter(device, binding);
    CHECK(code.function);
    CHECK(((searcher)code.function)(&list[first], i) == expected_verdict(first, rules - 1, i));
    sartor_device_leave(device, code);
  }
}

/* Memory is fetched page by page, functions are called on the device, and invalidated code is
 * deactivated. */
static void invariant_memory(void) {
  options.milliseconds = 3000; /* the time to wait for threads that are inside */
  struct sartor_device *device = open_device();
  unsigned invariant;
  unsigned other;
  make_rules(0);
  const int first = rules - 12; /* the handler starts at this rule */
  const struct sartor_device_setting settings[] = {sartor_device_pointer(0, &list[first])};
  sartor_device_binding binding;
  CHECK(sartor_device_declare_invariant(device, list, sizeof list, &invariant) == SARTOR_DEVICE_OK);
  CHECK(sartor_device_declare_invariant(device, &list[1], sizeof *list, &other) ==
        SARTOR_DEVICE_INVARIANTS);
  CHECK(sartor_device_customize(device, "verdict", settings, 1, &binding) == SARTOR_DEVICE_OK);
  check_verdicts(device, binding, first);
  CHECK(sartor_device_wait(device, binding, forever) == SARTOR_DEVICE_OK);
  check_verdicts(device, binding, first);
  struct sartor_device_figures figures = sartor_device_figures(device);
  CHECK(figures.pages > 0 && figures.calls >= 12);
  CHECK(figures.request_turns > figures.pages);
  CHECK(reported[SARTOR_DEVICE_EVENT_REMARK] == 0);
  /* The memory changes. */
  CHECK(sartor_device_revoke(device, invariant) == SARTOR_DEVICE_OK);
  CHECK(sartor_device_revoke(device, invariant) == SARTOR_DEVICE_INVARIANTS);
  make_rules(1000);
  check_verdicts(device, binding, first);
  CHECK(sartor_device_declare_invariant(device, list, sizeof list, &invariant) == SARTOR_DEVICE_OK);
  CHECK(sartor_device_wait(device, binding, forever) == SARTOR_DEVICE_OK);
  check_verdicts(device, binding, first);
  CHECK(is_variant(device, binding));
  /* Little memory is sent with the request, so the server fetches no page. */
  CHECK(sartor_device_revoke(device, invariant) == SARTOR_DEVICE_OK);
  const uint64_t pages = sartor_device_figures(device).pages;
  CHECK(sartor_device_declare_invariant(device, &list[first], 12 * sizeof *list, &invariant) ==
        SARTOR_DEVICE_OK);
  CHECK(sartor_device_wait(device, binding, forever) == SARTOR_DEVICE_OK);
  CHECK(sartor_device_figures(device).pages == pages);
  check_verdicts(device, binding, first);
  /* Revoking fails while a thread is inside. */
  const struct sartor_device_code code = sartor_device_enter(device, binding);
  CHECK(code.is_variant);
  CHECK(sartor_device_revoke(device, invariant) == SARTOR_DEVICE_BUSY);
  CHECK(!is_variant(device, binding));
  sartor_device_leave(device, code);
  CHECK(sartor_device_revoke(device, invariant) == SARTOR_DEVICE_OK);
  sartor_device_close(device);
}

static void declare_each(struct sartor_device *device, const char *memory, unsigned count) {
  unsigned invariant;
  for (unsigned i = 0; i < count; ++i)
    CHECK(sartor_device_declare_invariant(device, memory + (size_t)2 * i, 1, &invariant) ==
          SARTOR_DEVICE_OK);
}

/* An invariant of many ranges, behind many other invariants. */
static void many_ranges(void) {
  static const char others[1500];
  enum { count = 40, most = 1024, first = rules - count };
  options.invariants = most;
  struct sartor_device *device = open_device();
  unsigned invariant;
  unsigned more;
  make_rules(0);
  const struct sartor_device_setting settings[] = {sartor_device_pointer(0, &list[first])};
  sartor_device_binding binding;
  declare_each(device, others, 700);
  CHECK(sartor_device_declare_invariant(device, &list[first], sizeof *list, &invariant) ==
        SARTOR_DEVICE_OK);
  CHECK(invariant == 700);
  for (int i = first + 1; i < rules; ++i)
    CHECK(sartor_device_add_range(device, invariant, &list[i], sizeof *list) == SARTOR_DEVICE_OK);
  CHECK(sartor_device_add_range(device, invariant, &list[first], 1) == SARTOR_DEVICE_INVARIANTS);
  CHECK(sartor_device_add_range(device, invariant + 1, others + 1499, 1) ==
        SARTOR_DEVICE_INVARIANTS); /* it is a range of another */
  CHECK(sartor_device_revoke(device, invariant + 1) == SARTOR_DEVICE_INVARIANTS);
  declare_each(device, others + 1400, 24);
  CHECK(sartor_device_customize(device, "verdict", settings, 1, &binding) == SARTOR_DEVICE_OK);
  CHECK(sartor_device_wait(device, binding, forever) == SARTOR_DEVICE_OK);
  check_verdicts(device, binding, first);
  CHECK(is_variant(device, binding));
  CHECK(sartor_device_revoke(device, invariant) == SARTOR_DEVICE_OK);
  CHECK(!is_variant(device, binding));
  make_rules(1000);
  check_verdicts(device, binding, first);
  /* Its ranges are free again. */
  declare_each(device, others + 1450, 24);
  for (unsigned i = 0; i < most - 700 - 24 - 24; ++i)
    CHECK(sartor_device_declare_invariant(device, (const char *)&list[0] + i, 1, &more) ==
          SARTOR_DEVICE_OK);
  CHECK(sartor_device_declare_invariant(device, others + 1499, 1, &more) ==
        SARTOR_DEVICE_INVARIANTS);
  sartor_device_close(device);
}

/* More contexts than allowed: settings are dropped, the last first; cancelled bindings make
 * room. */
static void contexts(void) {
  options.contexts = 3;
  options.bindings = 12;
  struct sartor_device *device = open_device();
  sartor_device_binding bindings[12];
  bindings[0] = customize_sums(device, 10, 1);
  bindings[1] = customize_sums(device, 10, 2);
  const struct sartor_device_setting one[] = {sartor_device_point("count", 10)};
  CHECK(sartor_device_customize(device, "sums", one, 1, &bindings[2]) == SARTOR_DEVICE_OK);
  CHECK(reported[SARTOR_DEVICE_EVENT_DROPPED] == 0);
  bindings[3] = customize_sums(device, 10, 3); /* reduced to count=10 */
  CHECK(reported[SARTOR_DEVICE_EVENT_DROPPED] == 1);
  CHECK(strstr(last_text[SARTOR_DEVICE_EVENT_DROPPED], "sums{count=10} ") != NULL);
  bindings[4] = customize_sums(device, 11, 3); /* reduced to no settings */
  CHECK(strstr(last_text[SARTOR_DEVICE_EVENT_DROPPED], "sums{} ") != NULL);
  CHECK(sartor_device_attend(device, forever) == SARTOR_DEVICE_OK);
  for (int i = 0; i < 5; ++i)
    check_sums(device, bindings[i]);
  CHECK(is_variant(device, bindings[3]) && !is_variant(device, bindings[4]));
  CHECK(sartor_device_cancel(device, bindings[0]) == SARTOR_DEVICE_OK);
  bindings[5] = customize_sums(device, 11, 3);
  CHECK(reported[SARTOR_DEVICE_EVENT_DROPPED] == 2);
  CHECK(sartor_device_wait(device, bindings[5], forever) == SARTOR_DEVICE_OK);
  CHECK(is_variant(device, bindings[5]));
  check_sums(device, bindings[5]);
  /* The device has copies of the strings. */
  char label[] = "count";
  struct sartor_device_setting named[] = {sartor_device_point(label, 11),
                                          sartor_device_point("step", 3)};
  sartor_device_binding more = 0;
  CHECK(sartor_device_cancel(device, bindings[5]) == SARTOR_DEVICE_OK);
  CHECK(sartor_device_cancel(device, bindings[1]) == SARTOR_DEVICE_OK);
  named[0].integer = 12;
  CHECK(sartor_device_customize(device, "sums", named, 2, &more) == SARTOR_DEVICE_OK);
  memset(label, 'x', sizeof label - 1);
  CHECK(sartor_device_wait(device, more, forever) == SARTOR_DEVICE_OK);
  CHECK(is_variant(device, more));
  CHECK(sartor_device_cancel(device, more) == SARTOR_DEVICE_OK);
  const uint64_t requests = sartor_device_figures(device).requests;
  more = customize_sums(device, 12, 3);
  CHECK(is_variant(device, more));
  check_sums(device, more);
  CHECK(sartor_device_figures(device).requests == requests);
  enum sartor_device_status status = SARTOR_DEVICE_OK;
  for (int i = 0; i < 13 && status == SARTOR_DEVICE_OK; ++i)
    status = sartor_device_customize(device, "sums", one, 1, &more);
  CHECK(status == SARTOR_DEVICE_BINDINGS);
  struct sartor_device_setting twice[] = {one[0], one[0]};
  CHECK(sartor_device_customize(device, "sums", twice, 2, &more) == SARTOR_DEVICE_SETTINGS);
  sartor_device_close(device);
}

/* Little memory for code: the least recently called code is evicted, and fetched again when it
 * is called. */
static void eviction(void) {
  options.code_bytes = 4096;
  options.contexts = 60;
  struct sartor_device *device = open_device();
  sartor_device_binding bindings[40];
  for (int i = 0; i < 40; ++i) {
    bindings[i] = customize_sums(device, 20 + i, 1 + i % 3);
    CHECK(sartor_device_wait(device, bindings[i], forever) == SARTOR_DEVICE_OK);
  }
  CHECK(sartor_device_figures(device).evicted > 0);
  CHECK(reported[SARTOR_DEVICE_EVENT_EVICTED] > 0);
  CHECK(sartor_device_figures(device).code <= 4096);
  CHECK(is_variant(device, bindings[39]));
  CHECK(!is_variant(device, bindings[0]));
  CHECK(sartor_device_attend(device, forever) == SARTOR_DEVICE_OK);
  CHECK(is_variant(device, bindings[0]));
  for (int i = 0; i < 40; ++i) {
    check_sums(device, bindings[i]);
    CHECK(sartor_device_wait(device, bindings[i], forever) == SARTOR_DEVICE_OK);
    check_sums(device, bindings[i]);
  }
  sartor_device_close(device);
}

/* The server refuses invalid requests with a reason, and the generic code continues. */
static void refusals(void) {
  struct sartor_device *device = open_device();
  const struct sartor_device_setting bad[] = {
      sartor_device_point("cuont", 3), sartor_device_point("step", 17),
      sartor_device_real("count", 0.5), sartor_device_argument(7, 1)};
  static const char *const why[] = {"cuont", "step", "count", "argument"};
  for (int i = 0; i < 4; ++i) {
    sartor_device_binding binding;
    CHECK(sartor_device_customize(device, "sums", &bad[i], 1, &binding) == SARTOR_DEVICE_OK);
    CHECK(sartor_device_wait(device, binding, forever) == SARTOR_DEVICE_MISSING);
    CHECK(reported[SARTOR_DEVICE_EVENT_REFUSED] == i + 1);
    CHECK(strstr(last_text[SARTOR_DEVICE_EVENT_REFUSED], why[i]) != NULL);
    check_sums(device, binding);
    CHECK(sartor_device_attend(device, forever) == SARTOR_DEVICE_OK); /* no second request */
    CHECK(reported[SARTOR_DEVICE_EVENT_REFUSED] == i + 1);
  }
  const sartor_device_binding good = customize_sums(device, 4, 2);
  CHECK(sartor_device_wait(device, good, forever) == SARTOR_DEVICE_OK);
  check_sums(device, good);
  CHECK(reported[SARTOR_DEVICE_EVENT_LOST] == 0);
  sartor_device_close(device);
}

static void pause_for(unsigned milliseconds) {
  const struct timespec pause = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
  nanosleep(&pause, NULL);
}

/* The test process reads this output and answers on the standard input when something has
 * happened. */
static void say(const char *line) {
  printf("%s\n", line);
  fflush(stdout);
}
static void hear(void) { CHECK(getchar() == '\n'); }

/* Prints "gone?" and continues when the server is gone; prints "back?" and continues when it is
 * back. */
static void server_goes(void) {
  struct sartor_device *device = open_device();
  const sartor_device_binding before = customize_sums(device, 5, 1);
  CHECK(sartor_device_wait(device, before, forever) == SARTOR_DEVICE_OK);
  say("gone?");
  hear();
  const sartor_device_binding binding = customize_sums(device, 6, 2);
  CHECK(sartor_device_wait(device, binding, soon) == SARTOR_DEVICE_MISSING);
  CHECK(sartor_device_attend(device, soon) == SARTOR_DEVICE_MISSING);
  attend_until(device, SARTOR_DEVICE_EVENT_LOST);
  CHECK(reported[SARTOR_DEVICE_EVENT_LOST] == 1);
  CHECK(is_variant(device, before));
  check_sums(device, before);
  check_sums(device, binding);
  say("back?");
  hear();
  CHECK(sartor_device_wait(device, binding, forever) == SARTOR_DEVICE_OK);
  CHECK(reported[SARTOR_DEVICE_EVENT_RECONNECTED] == 1);
  check_sums(device, binding);
  sartor_device_close(device);
}

/* No server answers: a device without code waits at most the configured time. */
static void nobody_answers(void) {
  options.milliseconds = soon;
  struct sartor_device *device = open_device();
  const sartor_device_binding binding = customize_sums(device, 5, 1);
  struct timespec begin;
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const struct sartor_device_code code = sartor_device_enter(device, binding);
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (handlers_module.handlers[0].address)
    CHECK(code.function && !code.is_variant);
  else
    CHECK(!code.function && code.status == SARTOR_DEVICE_MISSING);
  sartor_device_leave(device, code);
  CHECK(end.tv_sec - begin.tv_sec < 60);
  sartor_device_close(device);
}

/* A server with another key than the known one. */
static void forged(void) {
  struct sartor_device *device = open_device();
  const sartor_device_binding binding = customize_sums(device, 5, 1);
  while (reported[SARTOR_DEVICE_EVENT_FORGED] == 0 && reported[SARTOR_DEVICE_EVENT_LOST] == 0)
    CHECK(sartor_device_wait(device, binding, soon) == SARTOR_DEVICE_MISSING);
  CHECK(!is_variant(device, binding));
  check_sums(device, binding);
  sartor_device_close(device);
}

/* Prints the reason for which no code arrives, and continues. */
static void lost(void) {
  struct sartor_device *device = open_device();
  const sartor_device_binding binding = customize_sums(device, 5, 1);
  attend_until(device, SARTOR_DEVICE_EVENT_LOST);
  CHECK(sartor_device_wait(device, binding, soon) == SARTOR_DEVICE_MISSING);
  CHECK(reported[SARTOR_DEVICE_EVENT_LOST] == 1);
  check_sums(device, binding);
  sartor_device_close(device);
}

/* The child keeps using what it has; the parent may change everything. */
static void forks(void) {
  options.code_bytes = 4096;
  struct sartor_device *device = open_device();
  const sartor_device_binding binding = customize_sums(device, 12, 3);
  CHECK(sartor_device_wait(device, binding, forever) == SARTOR_DEVICE_OK);
  int to_child[2];
  CHECK(pipe(to_child) == 0);
  const pid_t child = fork();
  if (child == 0) {
    char word;
    check_sums(device, binding);
    CHECK(read(to_child[0], &word, 1) == 1);
    CHECK(is_variant(device, binding));
    check_sums(device, binding);
    const sartor_device_binding other = customize_sums(device, 99, 2);
    CHECK(sartor_device_attend(device, soon) == SARTOR_DEVICE_FORKED);
    CHECK(sartor_device_wait(device, other, soon) == SARTOR_DEVICE_FORKED);
    if (handlers_module.handlers[0].address)
      check_sums(device, other);
    sartor_device_close(device);
    _exit(0);
  }
  for (int i = 0; i < 30; ++i) { /* repeatedly the same memory */
    const sartor_device_binding other = customize_sums(device, 20 + i, 2);
    CHECK(sartor_device_wait(device, other, forever) == SARTOR_DEVICE_OK);
    check_sums(device, other);
    CHECK(sartor_device_cancel(device, other) == SARTOR_DEVICE_OK);
  }
  CHECK(write(to_child[1], "x", 1) == 1);
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  check_sums(device, binding);
  sartor_device_close(device);
}

static struct sartor_device *shared;
static atomic_int is_over;
static sartor_device_binding _Atomic current[4];

static int64_t expected_division(int64_t a, int64_t b) {
  return a / b + (int64_t)((uint64_t)a % (uint64_t)b) * 3;
}

static sartor_device_binding customize_divisions(struct sartor_device *device, int64_t divisor) {
  const struct sartor_device_setting setting = sartor_device_point("divisor", divisor);
  sartor_device_binding binding;
  CHECK(sartor_device_customize(device, "divisions", &setting, 1, &binding) == SARTOR_DEVICE_OK);
  return binding;
}

static void *call_all_the_time(void *number) {
  const size_t from = (size_t)number;
  for (unsigned i = 0; !atomic_load(&is_over); ++i) {
    const sartor_device_binding binding = atomic_load(&current[(i + from) % 4]);
    const struct sartor_device_code code = sartor_device_enter(shared, binding);
    if (code.status == SARTOR_DEVICE_UNKNOWN_BINDING)
      continue; /* it was cancelled in the meantime */
    CHECK(code.function);
    const int64_t a = (int64_t)(i % 120000);
    CHECK(((handler)code.function)(a, 1 + i % 60) == expected_division(a, 1 + i % 60));
    sartor_device_leave(shared, code);
  }
  return NULL;
}

static void *attend_all_the_time(void *unused) {
  (void)unused;
  while (!atomic_load(&is_over)) {
    sartor_device_attend(shared, 20);
    pause_for(1);
  }
  return NULL;
}

/* Calls, new contexts, cancellations and evictions at the same time. */
static void threads(void) {
  options.code_bytes = 4096;
  options.contexts = 6;
  shared = open_device();
  for (int i = 0; i < 4; ++i)
    atomic_store(&current[i], customize_divisions(shared, 10 + i));
  pthread_t all[4];
  for (size_t i = 0; i < 3; ++i)
    CHECK(pthread_create(&all[i], NULL, call_all_the_time, (void *)i) == 0);
  CHECK(pthread_create(&all[3], NULL, attend_all_the_time, NULL) == 0);
  /* For longer where the server has answered few requests yet. */
  for (int i = 0; i < 150 || (i < 20000 && sartor_device_figures(shared).requests <= 10); ++i) {
    const sartor_device_binding fresh = customize_divisions(shared, 1 + i % 50);
    const sartor_device_binding stale = atomic_exchange(&current[i % 4], fresh);
    pause_for(10);
    CHECK(sartor_device_cancel(shared, stale) == SARTOR_DEVICE_OK);
  }
  atomic_store(&is_over, 1);
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_join(all[i], NULL) == 0);
  CHECK(sartor_device_figures(shared).requests > 10);
  sartor_device_close(shared);
}

/* A program that closes all descriptors and opens files of its own under their numbers. */
static void closed_descriptors(void) {
  static const char text[] = "of the program";
  enum { first = 3, past = 40 };
  char name[] = "/tmp/sartor-device-XXXXXX";
  char bytes[64];
  struct sartor_device *device = open_device();
  const sartor_device_binding binding = customize_sums(device, 12, 3);
  CHECK(sartor_device_wait(device, binding, forever) == SARTOR_DEVICE_OK);
  for (int file = first; file < past; ++file)
    close(file);
  for (int file = first; file < past; ++file) {
    memcpy(name, "/tmp/sartor-device-XXXXXX", sizeof name);
    CHECK(mkstemp(name) == file && unlink(name) == 0);
    CHECK(write(file, text, sizeof text) == sizeof text);
  }
  const sartor_device_binding other = customize_sums(device, 100, 1);
  CHECK(sartor_device_attend(device, forever) == SARTOR_DEVICE_OK);
  CHECK(sartor_device_wait(device, other, forever) == SARTOR_DEVICE_OK);
  CHECK(is_variant(device, other));
  check_sums(device, other);
  check_sums(device, binding);
  sartor_device_close(device);
  for (int file = first; file < past; ++file) {
    CHECK(pread(file, bytes, sizeof bytes, 0) == sizeof text);
    CHECK(memcmp(bytes, text, sizeof text) == 0);
  }
}

static void bad_options(void) {
  struct sartor_device *device;
  struct sartor_device_options bad = options;
  bad.module = NULL;
  CHECK(sartor_device_open(&bad, &device) == SARTOR_DEVICE_OPTIONS && !device);
  bad = options;
  bad.server_key = NULL;
  CHECK(sartor_device_open(&bad, &device) == SARTOR_DEVICE_OPTIONS);
  CHECK(strstr(last_text[SARTOR_DEVICE_EVENT_REFUSED], "server_key") != NULL);
  bad = options;
  bad.server = NULL;
  CHECK(sartor_device_open(&bad, &device) == SARTOR_DEVICE_OPTIONS);
  bad = options;
  bad.contexts = 1000;
  CHECK(sartor_device_open(&bad, &device) == SARTOR_DEVICE_OPTIONS);
  bad = options;
  bad.invariants = 1025;
  CHECK(sartor_device_open(&bad, &device) == SARTOR_DEVICE_OPTIONS);
  unsigned char bytes[32];
  CHECK(!sartor_device_read_key("/nowhere", bytes, sizeof bytes));
  options.server = "nonsense";
  lost();
  CHECK(strstr(last_text[SARTOR_DEVICE_EVENT_LOST], "tcp://HOST:PORT") != NULL);
}

/* An allocator, a transport and memory for code that are not the device's own. */
static int system_context;
static atomic_int allocated;
static atomic_int streams;
static atomic_int written;

static void *allocate_own(void *context, void *memory, size_t bytes) {
  CHECK(context == &system_context);
  allocated += (bytes > 0) - (memory != NULL);
  if (bytes > 0)
    return realloc(memory, bytes);
  free(memory);
  return NULL;
}

static void *connect_own(void *context, const char *server, uint64_t deadline) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  const char *port = strrchr(server, ':');
  CHECK(context == &system_context && deadline > 0 && port);
  address.sin_port = htons((uint16_t)strtoul(port + 1, NULL, 10));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  FILE *stream = NULL;
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(file, (const struct sockaddr *)&address, sizeof address) == 0)
    stream = fdopen(file, "r+");
  CHECK(stream);
  ++streams;
  return stream;
}
static int send_own(void *context, void *stream, const void *bytes, size_t size,
                    uint64_t deadline) {
  CHECK(context == &system_context && deadline > 0);
  return send(fileno(stream), bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}
static int receive_own(void *context, void *stream, void *bytes, size_t size, uint64_t deadline) {
  CHECK(context == &system_context && deadline > 0);
  return recv(fileno(stream), bytes, size, MSG_WAITALL) == (ssize_t)size;
}
static void disconnect_own(void *context, void *stream) {
  CHECK(context == &system_context);
  --streams;
  fclose(stream);
}

static void *open_own_code(void *context, size_t bytes, void **writable) {
  CHECK(context == &system_context);
  void *code =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(code != MAP_FAILED);
  return *writable = code;
}
static void close_own_code(void *context, void *code, size_t bytes) {
  CHECK(context == &system_context && munmap(code, bytes) == 0);
}
static void own_code_written(void *context, void *code, size_t bytes) {
  CHECK(context == &system_context);
  __builtin___clear_cache((char *)code, (char *)code + bytes);
  ++written;
}

static void own_system(void) {
  static const struct sartor_device_system own = {
      &system_context, allocate_own,  connect_own,    send_own,        receive_own,
      disconnect_own,  open_own_code, close_own_code, own_code_written};
  options.system = &own;
  same_results();
  CHECK(allocated == 0 && streams == 0 && written > 0);
  invariant_memory();
  CHECK(allocated == 0 && streams == 0);
}

struct test_case {
  const char *name;
  void (*run)(void);
};
static const struct test_case cases[] = {{"same_results", same_results},
                                         {"every_handler", every_handler},
                                         {"invariant_memory", invariant_memory},
                                         {"many_ranges", many_ranges},
                                         {"own_system", own_system},
                                         {"contexts", contexts},
                                         {"eviction", eviction},
                                         {"refusals", refusals},
                                         {"server_goes", server_goes},
                                         {"nobody_answers", nobody_answers},
                                         {"forged", forged},
                                         {"lost", lost},
                                         {"forks", forks},
                                         {"threads", threads},
                                         {"closed_descriptors", closed_descriptors},
                                         {"bad_options", bad_options}};

int main(int count, char **words) {
  if (count < 4)
    return 2;
  alarm(600);
  options.module = &handlers_module;
  options.server = words[2];
  options.server_key = server_key;
  options.report = report;
  options.milliseconds = forever;
  CHECK(sartor_device_read_key(words[3], server_key, sizeof server_key));
  if (count > 4) {
    CHECK(sartor_device_read_key(words[4], key, sizeof key));
    options.key = key;
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (strcmp(cases[i].name, words[1]) == 0) {
      cases[i].run();
      say("done");
      return 0;
    }
  return 2;
}
