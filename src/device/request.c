/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/request.h"

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

void sartor_put_request(struct sartor_writer *writer, struct sartor_request *request) {
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
