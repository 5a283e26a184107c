/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contexts: up to the configured number for a handler, shared by all bindings with the same
 * settings. */
#include <stdio.h>
#include <string.h>

#include "device/memory.h"
#include "device/state.h"

/* The bits by which numbers are compared: -0.0 is not 0.0. */
static uint64_t bits_of(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static int same_setting(const struct sartor_device_setting *one,
                        const struct sartor_device_setting *other) {
  if (!one->label != !other->label || one->kind != other->kind ||
      !one->unguarded != !other->unguarded)
    return 0;
  if (one->label ? strcmp(one->label, other->label) != 0 : one->argument != other->argument)
    return 0;
  switch (one->kind) {
  case SARTOR_DEVICE_INTEGER:
    return one->integer == other->integer;
  case SARTOR_DEVICE_REAL:
    return bits_of(one->real) == bits_of(other->real);
  default:
    return strcmp(one->symbol, other->symbol) == 0;
  }
}

static int is_context(const struct sartor_version *version,
                      const struct sartor_device_setting *settings, size_t count) {
  if (version->setting_count != count)
    return 0;
  for (size_t i = 0; i < count; ++i)
    if (!same_setting(&version->settings[i], &settings[i]))
      return 0;
  return 1;
}

/* Returns a version without bindings: the one whose code is least worth keeping. */
static struct sartor_version *find_free(struct sartor_device *device, unsigned handler) {
  struct sartor_version *versions = sartor_versions_of(device, handler);
  struct sartor_version *oldest = NULL;
  for (unsigned i = 1; i <= device->context_count; ++i) {
    struct sartor_version *version = &versions[i];
    if (!version->is_taken)
      return version;
    if (version->bindings > 0 || atomic_load(&version->users) > 0)
      continue;
    if (!oldest || sartor_is_older(device, version, oldest))
      oldest = version;
  }
  return oldest && (oldest->size == 0 || sartor_evict(device, oldest)) ? oldest : NULL;
}

static size_t string_bytes(const char *string) { return string ? strlen(string) + 1 : 0; }

static const char *symbol_of(const struct sartor_device_setting *setting) {
  return setting->kind == SARTOR_DEVICE_SYMBOL ? setting->symbol : NULL;
}

/* Copies a string to `*to`, which then is behind it. */
static const char *copy_string(const char *string, char **to) {
  const size_t size = string_bytes(string);
  const char *copy = size > 0 ? memcpy(*to, string, size) : NULL;
  *to += size;
  return copy;
}

/* The strings, too: the program may free its own. The settings may be those of the version itself.
 * Returns zero, and changes nothing, if there is no memory. */
static int copy_settings(struct sartor_device *device, struct sartor_version *version,
                         const struct sartor_device_setting *settings, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i)
    bytes += string_bytes(settings[i].label) + string_bytes(symbol_of(&settings[i]));
  char *const strings = bytes > 0 ? sartor_resize(device->system, NULL, bytes) : NULL;
  if (bytes > 0 && !strings)
    return 0;
  char *next = strings;
  for (size_t i = 0; i < count; ++i) {
    struct sartor_device_setting setting = settings[i];
    setting.symbol = copy_string(symbol_of(&settings[i]), &next);
    setting.label = copy_string(settings[i].label, &next);
    version->settings[i] = setting;
  }
  version->setting_count = count;
  sartor_resize(device->system, version->strings, 0);
  version->strings = strings;
  return 1;
}

struct sartor_version *sartor_find_context(struct sartor_device *device, unsigned handler,
                                           const struct sartor_device_setting *settings,
                                           size_t count) {
  struct sartor_version *versions = sartor_versions_of(device, handler);
  for (;; --count) {
    for (unsigned i = 0; i <= device->context_count; ++i)
      if (versions[i].is_taken && is_context(&versions[i], settings, count))
        return &versions[i];
    struct sartor_version *version = count == 0 ? &versions[0] : find_free(device, handler);
    if (version && copy_settings(device, version, settings, count)) {
      version->is_taken = 1;
      ++version->serial;
      atomic_store(&version->is_refused, 0);
      version->bindings = 0;
      version->handler = handler;
      /* Without settings, the program's own generic code is equivalent. */
      atomic_store(&version->is_wanted, count > 0 || !device->module->handlers[handler].address);
      return version;
    }
  }
}

int sartor_drop_setting(struct sartor_device *device, struct sartor_version *version) {
  if (version->setting_count == 0)
    return 0;
  struct sartor_version *less =
      sartor_find_context(device, version->handler, version->settings, version->setting_count - 1);
  for (unsigned i = 0; i < device->binding_count; ++i)
    if (atomic_load(&device->bindings[i].version) == version) {
      atomic_store(&device->bindings[i].version, less);
      ++less->bindings;
    }
  version->bindings = 0;
  atomic_store(&version->is_wanted, 0);
  return 1;
}

static void describe_setting(const struct sartor_device_setting *setting, char *text, size_t size) {
  char name[24];
  snprintf(name, sizeof name, "argument %u", setting->argument);
  const char *label = setting->label ? setting->label : name;
  const char *invariant = setting->unguarded ? "!" : "";
  switch (setting->kind) {
  case SARTOR_DEVICE_INTEGER:
    snprintf(text, size, "%s=%lld%s", label, (long long)setting->integer, invariant);
    break;
  case SARTOR_DEVICE_REAL:
    snprintf(text, size, "%s=%g%s", label, setting->real, invariant);
    break;
  default:
    snprintf(text, size, "%s=%s%s", label, setting->symbol, invariant);
  }
}

void sartor_describe(const struct sartor_device *device, const struct sartor_version *version,
                     char *text, size_t size) {
  snprintf(text, size, "%s{", device->module->handlers[version->handler].name);
  for (size_t i = 0; i < version->setting_count; ++i) {
    char one[96];
    describe_setting(&version->settings[i], one, sizeof one);
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", i == 0 ? "" : ",", one);
  }
  const size_t length = strlen(text);
  snprintf(text + length, size - length, "}");
}
