/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * layers_program SERVER SERVER.pub DEVICE.key: compares variants for stacks of layers with the
 * program's generic code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sartor/device/device.h>

#include "check.h"
#include "layers.h"

extern const struct sartor_device_module layers_module;

enum { depth = 4, stacks = 6, inputs = 300, most_code = 400, forever = 60000 };

typedef int64_t (*handler)(const struct layer *, int64_t);

static struct layer layers[depth];
static int remarks;
static char last_remark[512];

static void report(void *context, enum sartor_device_event event, const char *text) {
  (void)context;
  if (event == SARTOR_DEVICE_EVENT_REMARK) {
    ++remarks;
    snprintf(last_remark, sizeof last_remark, "%s", text);
  }
  printf("%d: %s\n", (int)event, text);
}

static void make_stack(unsigned number) {
  for (unsigned i = 0; i < depth; ++i) {
    layers[i].operations = known_operations[(number + i * i) % 3];
    layers[i].below = i + 1 < depth ? &layers[i + 1] : NULL;
    layers[i].by = 1 + (number * 7 + i) % 4;
    layers[i].last = number % 3 == 2 ? NULL : known_steps[number % 3];
  }
}

static int64_t input(int i) {
  return (int64_t)((uint64_t)(i + 1) * 0x9e3779b97f4a7c15u >> (40 + i % 20));
}

/* The variant of a handler for the layers, of which the first `count` are declared invariant. */
struct made {
  struct sartor_device *device;
  sartor_device_binding binding;
  unsigned invariant;
  handler call;
  struct sartor_device_code code;
};

static struct made make_variant(struct sartor_device *device, const char *handler_name,
                                size_t count) {
  struct made made = {.device = device};
  const struct sartor_device_setting setting = sartor_device_pointer(0, layers);
  CHECK(sartor_device_declare_invariant(device, layers, count * sizeof *layers, &made.invariant) ==
        SARTOR_DEVICE_OK);
  CHECK(sartor_device_customize(device, handler_name, &setting, 1, &made.binding) ==
        SARTOR_DEVICE_OK);
  CHECK(sartor_device_wait(device, made.binding, forever) == SARTOR_DEVICE_OK);
  made.code = sartor_device_enter(device, made.binding);
  CHECK(made.code.is_variant);
  made.call = (handler)made.code.function;
  return made;
}

static void discard(const struct made *made) {
  sartor_device_leave(made->device, made->code);
  CHECK(sartor_device_cancel(made->device, made->binding) == SARTOR_DEVICE_OK);
  CHECK(sartor_device_revoke(made->device, made->invariant) == SARTOR_DEVICE_OK);
}

/* Compares it with the generic code. Each call counts, and the last step uses the number. */
static void compare_passes(handler call) {
  for (int i = 0; i < inputs; ++i) {
    const int64_t before = overflows;
    const int64_t wanted = passes(layers, input(i));
    const int64_t more = overflows - before;
    const int64_t result = call(layers, input(i));
    CHECK(overflows - before == 2 * more);
    CHECK(layers[0].last == known_steps[0]   ? result == wanted + 1
          : layers[0].last == known_steps[1] ? result == (wanted ^ 1)
                                             : result == wanted);
  }
}

static void become_part_of_variants(struct sartor_device *device) {
  for (unsigned number = 0; number < stacks; ++number) {
    make_stack(number);
    const struct made made = make_variant(device, "passes", depth);
    compare_passes(made.call);
    const struct sartor_device_figures figures = sartor_device_figures(device);
    printf("%u: %llu bytes\n", number, (unsigned long long)figures.request_code);
    CHECK(figures.request_code <= most_code);
    CHECK(remarks == 0);
    discard(&made);
  }
}

static void are_reported_if_left(struct sartor_device *device) {
  make_stack(1);
  struct made made = make_variant(device, "passes", depth - 1);
  compare_passes(made.call);
  CHECK(remarks == 1 && strstr(last_remark, "calls through pointers are left: 1"));
  discard(&made);
  made = make_variant(device, "acquires", depth);
  CHECK(made.call(layers, 5) == acquires(layers, 5));
  CHECK(remarks == 2 && strstr(last_remark, "are left: 1, such as that of byte 16 of invariant 0, "
                                            "in acquires"));
  discard(&made);
}

/* Revoking another invariant does not affect a variant. */
static void depend_on_their_own(struct sartor_device *device) {
  static const char others[80];
  unsigned other[40];
  for (unsigned i = 0; i < 40; ++i)
    CHECK(sartor_device_declare_invariant(device, &others[(size_t)2 * i], 1, &other[i]) ==
          SARTOR_DEVICE_OK);
  make_stack(2);
  const struct made made = make_variant(device, "passes", depth);
  CHECK(made.invariant == 40);
  CHECK(sartor_device_revoke(device, other[40 - 32]) == SARTOR_DEVICE_OK);
  const struct sartor_device_code code = sartor_device_enter(device, made.binding);
  CHECK(code.is_variant);
  sartor_device_leave(device, code);
  discard(&made);
}

int main(int count, char **words) {
  unsigned char server_key[32];
  unsigned char key[64];
  struct sartor_device_options options = {.module = &layers_module,
                                          .server_key = server_key,
                                          .key = key,
                                          .report = report,
                                          .invariants = 64,
                                          .milliseconds = forever};
  struct sartor_device *device;
  CHECK(count == 4);
  alarm(600);
  options.server = words[1];
  CHECK(sartor_device_read_key(words[2], server_key, sizeof server_key));
  CHECK(sartor_device_read_key(words[3], key, sizeof key));
  CHECK(sartor_device_open(&options, &device) == SARTOR_DEVICE_OK);
  become_part_of_variants(device);
  are_reported_if_left(device);
  depend_on_their_own(device);
  sartor_device_close(device);
  puts("done");
  return 0;
}
