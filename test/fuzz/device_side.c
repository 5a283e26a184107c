/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fuzz/device_side.h"

#include <stdlib.h>

#include "device/ask.c" // NOLINT(bugprone-suspicious-include): its static functions are used
#include "fuzz/recorded_rules.h"

static _Alignas(4096) unsigned char declared[recorded_bytes];
static int64_t calls_seen;
static const int32_t weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int64_t hidden_limit = 5;
static int64_t guard_failures[8];

static int64_t outside(int64_t a, int64_t b) { return a ^ b; }
static int64_t native(int64_t a, int64_t b) { return a + b; }

/* SARTOR_FOLD: safe for null and for rules in invariant memory. */
static int32_t weight_of(const struct recorded_rule *rule, int32_t scale) {
  const uint64_t offset = (uintptr_t)rule - (uintptr_t)declared;
  if (!rule)
    return 0;
  if (offset > recorded_bytes || recorded_bytes - offset < sizeof *rule)
    abort(); /* the device has called it with a foreign rule */
  struct recorded_rule copy;
  memcpy(&copy, rule, sizeof copy);
  return (int32_t)((copy.to - copy.from) * (uint32_t)scale);
}

static const struct sartor_device_symbol symbols[] = {
    {"calls_seen", &calls_seen},  {"weights", (void *)weights},     {"hidden_limit", &hidden_limit},
    {"outside", (void *)outside}, {"give_up", (void *)abort},       {"memcpy", (void *)memcpy},
    {"memset", (void *)memset},   {"weight_of", (void *)weight_of}, {"sums", (void *)native},
    {"verdict", (void *)native}};
static const struct sartor_device_symbol handlers[] = {{"sums", (void *)native},
                                                       {"verdict", (void *)native}};
static const unsigned char weight_types[] = {SARTOR_SCALAR_S32, SARTOR_SCALAR_POINTER,
                                             SARTOR_SCALAR_S32};
static const struct sartor_extent weight_extents[] = {{sizeof(struct recorded_rule), SARTOR_ONCE},
                                                      {0, SARTOR_ONCE}};
static const struct sartor_foldable foldables[] = {
    {"weight_of", (void *)weight_of, weight_types, 2, weight_extents}};
static const char *const labels[] = {"count", "step", "otherwise"};
static const struct sartor_device_module module = {
    "0123", "x86-64", symbols,       sizeof symbols / sizeof *symbols, foldables, 1, handlers, 2,
    labels, 3,        guard_failures};

uint64_t device_memory(void) { return (uintptr_t)declared; }
uint64_t device_function(void) { return (uintptr_t)weight_of; }

static struct sartor_device *device_for_all(const unsigned char *key) {
  static struct sartor_device *device;
  unsigned invariant;
  struct sartor_device_options options = {0};
  if (device)
    return device;
  fill_recorded_rules(declared, (uintptr_t)declared);
  options.module = &module;
  options.server = "unix:/nowhere";
  options.server_key = key;
  options.code_bytes = 8192;
  if (sartor_device_open(&options, &device) != SARTOR_DEVICE_OK ||
      sartor_device_declare_invariant(device, declared, sizeof declared, &invariant) !=
          SARTOR_DEVICE_OK)
    abort();
  return device;
}

void device_asks(const unsigned char *key, unsigned which) {
  struct sartor_device *device = device_for_all(key);
  const struct sartor_device_setting settings[] = {which % 2 ? sartor_device_pointer(0, declared)
                                                             : sartor_device_point("count", 12)};
  sartor_device_binding binding;
  if (sartor_device_customize(device, which % 2 ? "verdict" : "sums", settings, 1, &binding) !=
      SARTOR_DEVICE_OK)
    abort();
  struct sartor_version *version = atomic_load(&device->bindings[binding & 0xffff].version);
  device->retry_at = 0;
  device->retry_after = 0;
  device->is_lost = 0;
  atomic_store(&version->is_refused, 0);
  atomic_store(&version->is_wanted, 1);
  fetch_one(device, version, UINT64_MAX);
  sartor_channel_close(&device->talk.channel);
  if (sartor_device_cancel(device, binding) != SARTOR_DEVICE_OK)
    abort();
}
