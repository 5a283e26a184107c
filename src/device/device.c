/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <pthread.h>
#include <string.h>

#include "device/state.h"

static const uint64_t forever = UINT64_MAX;

enum { binding_bits = 16 };

/* Returns the binding of a handle, or null. */
static struct sartor_binding *binding_of(struct sartor_device *device,
                                         sartor_device_binding handle) {
  const unsigned index = handle & ((1u << binding_bits) - 1);
  return handle != 0 && index < device->binding_count ? &device->bindings[index] : NULL;
}

static int is_of(const struct sartor_binding *binding, sartor_device_binding handle) {
  return (atomic_load(&binding->generation) & ((1u << binding_bits) - 1)) == handle >> binding_bits;
}

static int is_setting(const struct sartor_device_setting *setting) {
  return setting->kind == SARTOR_DEVICE_INTEGER || setting->kind == SARTOR_DEVICE_REAL ||
         (setting->kind == SARTOR_DEVICE_SYMBOL && setting->symbol);
}

static int are_settings(const struct sartor_device_setting *settings, size_t count) {
  if (count > sartor_most_settings)
    return 0;
  for (size_t i = 0; i < count; ++i) {
    if (!is_setting(&settings[i]))
      return 0;
    for (size_t j = 0; j < i; ++j) /* no setting may occur twice */
      if (settings[i].label && settings[j].label ? strcmp(settings[i].label, settings[j].label) == 0
                                                 : !settings[i].label && !settings[j].label &&
                                                       settings[i].argument == settings[j].argument)
        return 0;
  }
  return 1;
}

enum sartor_device_status sartor_device_customize(struct sartor_device *device, const char *handler,
                                                  const struct sartor_device_setting *settings,
                                                  size_t count, sartor_device_binding *handle) {
  unsigned number = 0;
  unsigned free_one = 0;
  char what[256];
  *handle = 0;
  while (number < device->module->handler_count &&
         strcmp(device->module->handlers[number].name, handler) != 0)
    ++number;
  if (number == device->module->handler_count)
    return SARTOR_DEVICE_HANDLER;
  if (!are_settings(settings, count))
    return SARTOR_DEVICE_SETTINGS;
  pthread_mutex_lock(&device->lock);
  while (free_one < device->binding_count && atomic_load(&device->bindings[free_one].version))
    ++free_one;
  if (free_one == device->binding_count) {
    pthread_mutex_unlock(&device->lock);
    return SARTOR_DEVICE_BINDINGS;
  }
  if (!device->module->handlers[number].address) /* the generic code is called meanwhile */
    sartor_find_context(device, number, NULL, 0);
  struct sartor_version *version = sartor_find_context(device, number, settings, count);
  struct sartor_binding *binding = &device->bindings[free_one];
  ++version->bindings;
  /* Requests it once more. */
  if (atomic_load(&version->is_refused) && !atomic_load(&version->code)) {
    atomic_store(&version->is_refused, 0);
    atomic_store(&version->is_wanted, 1);
  }
  /* No generation is zero, so no handle is. */
  unsigned generation = atomic_load(&binding->generation) + 1;
  generation += (generation & ((1u << binding_bits) - 1)) == 0;
  atomic_store(&binding->generation, generation);
  atomic_store(&binding->version, version);
  *handle = generation << binding_bits | free_one;
  const size_t kept = version->setting_count;
  sartor_describe(device, version, what, sizeof what);
  pthread_mutex_unlock(&device->lock);
  if (kept < count)
    sartor_report(device, SARTOR_DEVICE_EVENT_DROPPED,
                  "%s is what is left of %zu settings: its handler has %u contexts already", what,
                  count, device->context_count);
  return SARTOR_DEVICE_OK;
}

enum sartor_device_status sartor_device_cancel(struct sartor_device *device,
                                               sartor_device_binding handle) {
  struct sartor_binding *binding = binding_of(device, handle);
  if (!binding)
    return SARTOR_DEVICE_UNKNOWN_BINDING;
  pthread_mutex_lock(&device->lock);
  struct sartor_version *version = is_of(binding, handle) ? atomic_load(&binding->version) : NULL;
  if (version) {
    atomic_store(&binding->version, NULL);
    if (--version->bindings == 0 && version->setting_count > 0)
      atomic_store(&version->is_wanted, 0);
  }
  pthread_mutex_unlock(&device->lock);
  return version ? SARTOR_DEVICE_OK : SARTOR_DEVICE_UNKNOWN_BINDING;
}

typedef void (*function)(void);

/* Returns its code and registers the thread as a user; null if the code is not here. */
static function enter(struct sartor_device *device, struct sartor_version *version) {
  void *code = atomic_load(&version->code);
  if (!code) {
    if (!atomic_load(&version->is_refused))
      atomic_store(&version->is_wanted, 1);
    return NULL;
  }
  atomic_store_explicit(&version->used, atomic_load_explicit(&device->clock, memory_order_relaxed),
                        memory_order_relaxed);
  return (function)code;
}

/* Returns the code that is available now; no function if there is none. */
static struct sartor_device_code enter_binding(struct sartor_device *device,
                                               struct sartor_binding *binding,
                                               sartor_device_binding handle,
                                               struct sartor_version **waited_for) {
  struct sartor_device_code code = {NULL, SARTOR_DEVICE_UNKNOWN_BINDING, 0, NULL};
  *waited_for = NULL;
  for (;;) {
    struct sartor_version *version = atomic_load(&binding->version);
    if (!version || !is_of(binding, handle))
      return code;
    atomic_fetch_add(&version->users, 1);
    if (atomic_load(&binding->version) != version || !is_of(binding, handle)) {
      atomic_fetch_sub(&version->users, 1); /* the binding may have another context by now */
      continue;
    }
    const struct sartor_device_symbol *handler = &device->module->handlers[version->handler];
    const int is_generic = version->setting_count == 0;
    code.status = SARTOR_DEVICE_OK;
    code.inside = version;
    if (!is_generic || !handler->address) {
      code.function = enter(device, version);
      code.is_variant = code.function && !is_generic;
    }
    if (code.function)
      return code;
    code.function = (function)handler->address;
    struct sartor_version *empty = sartor_versions_of(device, version->handler);
    if (!code.function && empty != version) {
      atomic_fetch_add(&empty->users, 1);
      code.inside = empty;
      code.function = enter(device, empty);
      if (!code.function)
        atomic_fetch_sub(&empty->users, 1);
    }
    if (!code.function || code.inside != version)
      atomic_fetch_sub(&version->users, 1);
    *waited_for = empty;
    return code;
  }
}

struct sartor_device_code sartor_device_enter(struct sartor_device *device,
                                              sartor_device_binding handle) {
  struct sartor_device_code code = {NULL, SARTOR_DEVICE_UNKNOWN_BINDING, 0, NULL};
  struct sartor_binding *binding = binding_of(device, handle);
  struct sartor_version *waited_for;
  if (!binding)
    return code;
  code = enter_binding(device, binding, handle, &waited_for);
  if (code.function || code.status != SARTOR_DEVICE_OK)
    return code;
  code.status = SARTOR_DEVICE_FORKED;
  if (atomic_load(&device->is_child))
    return code;
  const uint64_t deadline = sartor_now() + device->milliseconds * sartor_millisecond;
  while (sartor_now() < deadline && !atomic_load(&waited_for->is_refused)) {
    sartor_fetch(device, waited_for, deadline, deadline);
    code = enter_binding(device, binding, handle, &waited_for);
    if (code.function || code.status != SARTOR_DEVICE_OK)
      return code;
  }
  code.status = SARTOR_DEVICE_MISSING;
  code.inside = NULL;
  return code;
}

void sartor_device_leave(struct sartor_device *device, struct sartor_device_code code) {
  struct sartor_version *version = code.inside;
  (void)device;
  if (version)
    atomic_fetch_sub(&version->users, 1);
}

static int any_wanted(const struct sartor_device *device) {
  for (size_t i = 0; i < sartor_version_count(device); ++i)
    if (atomic_load(&device->versions[i].is_wanted))
      return 1;
  return 0;
}

enum sartor_device_status sartor_device_attend(struct sartor_device *device,
                                               unsigned milliseconds) {
  if (atomic_load(&device->is_child))
    return SARTOR_DEVICE_FORKED;
  sartor_fetch(device, NULL, sartor_now() + milliseconds * sartor_millisecond, forever);
  return any_wanted(device) ? SARTOR_DEVICE_MISSING : SARTOR_DEVICE_OK;
}

enum sartor_device_status sartor_device_wait(struct sartor_device *device,
                                             sartor_device_binding handle, unsigned milliseconds) {
  struct sartor_binding *binding = binding_of(device, handle);
  const uint64_t deadline = sartor_now() + milliseconds * sartor_millisecond;
  for (;;) {
    struct sartor_version *version = binding ? atomic_load(&binding->version) : NULL;
    if (!version || !is_of(binding, handle))
      return SARTOR_DEVICE_UNKNOWN_BINDING;
    if (atomic_load(&version->code) ||
        (version->setting_count == 0 && device->module->handlers[version->handler].address))
      return SARTOR_DEVICE_OK;
    if (atomic_load(&device->is_child))
      return SARTOR_DEVICE_FORKED;
    if (atomic_load(&version->is_refused) || sartor_now() >= deadline)
      return SARTOR_DEVICE_MISSING;
    atomic_store(&version->is_wanted, 1);
    sartor_fetch(device, version, deadline, deadline);
  }
}

struct sartor_device_figures sartor_device_figures(struct sartor_device *device) {
  pthread_mutex_lock(&device->lock);
  const struct sartor_device_figures figures = device->figures;
  pthread_mutex_unlock(&device->lock);
  return figures;
}
