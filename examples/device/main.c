/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* main SERVER SERVER.pub DEVICE.key: a device that smooths the samples of a sensor. */
#include <stdio.h>

#include <sartor/device/device.h>

#include "handlers.h"

extern const struct sartor_device_module handlers_module; /* written by `sartor device` */

typedef int32_t (*smoother)(const int32_t *, const int32_t *, int);

static const int32_t samples[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
static int32_t weights[] = {1, 4, 6, 4, 1};

static void report(void *context, enum sartor_device_event event, const char *text) {
  (void)context;
  (void)event;
  printf("(%s)\n", text);
}

static void show(struct sartor_device *device, sartor_device_binding binding) {
  const struct sartor_device_code code = sartor_device_enter(device, binding);
  if (!code.function)
    return;
  printf("%s:", code.is_variant ? "variant" : "generic");
  for (int i = 0; i < 6; ++i)
    printf(" %d", (int)((smoother)code.function)(weights, &samples[i], 5));
  printf("\n");
  sartor_device_leave(device, code);
}

int main(int count, char **words) {
  unsigned char server_key[32];
  unsigned char key[64];
  if (count != 4 || !sartor_device_read_key(words[2], server_key, sizeof server_key) ||
      !sartor_device_read_key(words[3], key, sizeof key)) {
    fprintf(stderr, "usage: main SERVER SERVER.pub DEVICE.key\n");
    return 2;
  }
  struct sartor_device_options options = {0};
  options.module = &handlers_module;
  options.server = words[1];
  options.server_key = server_key;
  options.key = key;
  options.report = report;
  struct sartor_device *device;
  if (sartor_device_open(&options, &device) != SARTOR_DEVICE_OK)
    return 1;

  /* The weights do not change until the invariant is revoked. Settings are in order of importance:
   * with too many contexts, the number of taps is dropped first. */
  unsigned invariant;
  sartor_device_declare_invariant(device, weights, sizeof weights, &invariant);
  const struct sartor_device_setting settings[] = {sartor_device_pointer(0, weights),
                                                   sartor_device_point("taps", 5)};
  sartor_device_binding binding;
  sartor_device_customize(device, "smooth", settings, 2, &binding);
  show(device, binding); /* no variant has arrived yet */
  sartor_device_wait(device, binding, 60000);
  show(device, binding);

  /* Before the weights change, revoke the invariant. This deactivates the variant. */
  if (sartor_device_revoke(device, invariant) == SARTOR_DEVICE_OK)
    weights[0] = weights[4] = 2;
  show(device, binding);

  const struct sartor_device_figures figures = sartor_device_figures(device);
  printf("%lu request, %lu bytes of code\n", (unsigned long)figures.requests,
         (unsigned long)figures.request_code);
  sartor_device_close(device);
  return 0;
}
