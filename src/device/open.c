/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens and closes devices, and keeps them usable in children of fork(). */
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "device/memory.h"
#include "device/state.h"

enum {
  usual_code = 64 << 10,
  usual_contexts = 8,
  most_contexts = 64,
  most_server_keys = 16,
  usual_bindings = 256,
  most_bindings = 4096,
  usual_ranges = 32,
  usual_milliseconds = 10000,
  usual_pages = 4096,
  frame_room = 64 << 10 /* For an answer, in addition to its code. */
};

/* All devices of this process. `all_lock` also stops their use during fork(). */
static struct sartor_device *all_devices;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void before_fork(void) {
  pthread_mutex_lock(&all_lock);
  for (struct sartor_device *each = all_devices; each; each = each->next)
    pthread_mutex_lock(&each->lock);
}

static void after_fork(void) {
  for (struct sartor_device *each = all_devices; each; each = each->next)
    pthread_mutex_unlock(&each->lock);
  pthread_mutex_unlock(&all_lock);
}

/* Threads of the parent that held these locks do not exist here. */
static void in_child(void) {
  for (struct sartor_device *each = all_devices; each; each = each->next) {
    atomic_store(&each->is_child, 1);
    pthread_mutex_init(&each->reading, NULL);
    pthread_mutex_init(&each->talking, NULL);
    sartor_link_close(&each->talk.channel.link);
    if (each->arena.writable && !sartor_arena_after_fork(&each->arena))
      for (size_t i = 0; i < sartor_version_count(each); ++i)
        atomic_store(&each->versions[i].code, NULL); /* the parent may change it */
  }
  after_fork();
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork, in_child); }

static size_t or_usual(size_t value, size_t usual) { return value == 0 ? usual : value; }

static void *copy_of(const struct sartor_device_system *system, const void *bytes, size_t size) {
  void *copy = sartor_resize(system, NULL, size);
  return copy ? memcpy(copy, bytes, size) : NULL;
}

static const char *problem_of(const struct sartor_device_options *options) {
  if (!options->module || !options->module->hash || !options->module->target)
    return "module: give it what `sartor device` has written";
  if (!options->server)
    return "server: give it an address, tcp://HOST:PORT or unix:/PATH";
  if (!options->server_key)
    return "server_key: code is taken from a server with a known key only";
  if (options->server_key_count > most_server_keys)
    return "server_key_count: at most 16";
  if (options->contexts > most_contexts)
    return "contexts: at most 64";
  if (options->bindings > most_bindings)
    return "bindings: at most 4096";
  if (options->invariants > SARTOR_DEVICE_MOST_RANGES)
    return "invariants: at most 1024";
  return NULL;
}

static void forget(struct sartor_device *device) {
  const struct sartor_device_system *system = device->system;
  sartor_channel_close(&device->talk.channel);
  sartor_arena_close(&device->arena);
  sodium_memzero(device->talk.key, sizeof device->talk.key);
  sartor_resize(system, device->talk.server, 0);
  sartor_resize(system, device->talk.server_keys, 0);
  sartor_resize(system, device->bindings, 0);
  for (size_t i = 0; device->versions && i < sartor_version_count(device); ++i)
    sartor_resize(system, device->versions[i].strings, 0);
  sartor_resize(system, device->versions, 0);
  sartor_resize(system, device->dependencies, 0);
  sartor_resize(system, device->ranges, 0);
  sartor_resize(system, device, 0);
}

static int fill(struct sartor_device *device, const struct sartor_device_options *options) {
  const size_t code_bytes = or_usual(options->code_bytes, usual_code);
  const struct sartor_device_system *system = options->system;
  device->system = system;
  device->module = options->module;
  device->milliseconds = (unsigned)or_usual(options->milliseconds, usual_milliseconds);
  device->pages = or_usual(options->pages, usual_pages);
  device->report = options->report;
  device->report_context = options->report_context;
  device->context_count = (unsigned)or_usual(options->contexts, usual_contexts);
  device->binding_count = (unsigned)or_usual(options->bindings, usual_bindings);
  device->range_count = (unsigned)or_usual(options->invariants, usual_ranges);
  device->talk.module = options->module;
  device->talk.channel.link.socket = -1;
  device->talk.channel.link.system = system;
  device->talk.channel.frame.system = device->talk.channel.sent.system = system;
  device->talk.channel.most_frame = 2 * code_bytes + frame_room;
  device->talk.server = copy_of(system, options->server, strlen(options->server) + 1);
  device->talk.server_key_count = or_usual(options->server_key_count, 1);
  device->talk.server_keys =
      copy_of(system, options->server_key, 32 * device->talk.server_key_count);
  device->talk.has_key = options->key != NULL;
  if (options->key)
    memcpy(device->talk.key, options->key, sizeof device->talk.key);
  const size_t versions = sartor_version_count(device) + 1;
  const size_t words = sartor_dependency_words(device);
  device->versions = sartor_zeroed(system, versions, sizeof *device->versions);
  device->dependencies = sartor_zeroed(system, versions, words * sizeof *device->dependencies);
  device->bindings = sartor_zeroed(system, device->binding_count, sizeof *device->bindings);
  device->ranges = sartor_zeroed(system, device->range_count, sizeof *device->ranges);
  if (!device->talk.server || !device->talk.server_keys || !device->versions ||
      !device->dependencies || !device->bindings || !device->ranges)
    return 0;
  for (size_t i = 0; i < versions; ++i)
    device->versions[i].invariants = device->dependencies + i * words;
  return sartor_arena_open(&device->arena, code_bytes, system);
}

enum sartor_device_status sartor_device_open(const struct sartor_device_options *options,
                                             struct sartor_device **opened) {
  *opened = NULL;
  const char *problem = problem_of(options);
  if (problem) {
    if (options->report)
      options->report(options->report_context, SARTOR_DEVICE_EVENT_REFUSED, problem);
    return SARTOR_DEVICE_OPTIONS;
  }
  struct sartor_device *device = sartor_zeroed(options->system, 1, sizeof *device);
  if (!device)
    return SARTOR_DEVICE_MEMORY;
  if (!fill(device, options)) {
    forget(device);
    return SARTOR_DEVICE_MEMORY;
  }
  pthread_mutex_init(&device->lock, NULL);
  pthread_mutex_init(&device->reading, NULL);
  pthread_mutex_init(&device->talking, NULL);
  pthread_once(&fork_once, watch_forks);
  pthread_mutex_lock(&all_lock);
  device->next = all_devices;
  all_devices = device;
  pthread_mutex_unlock(&all_lock);
  *opened = device;
  return SARTOR_DEVICE_OK;
}

void sartor_device_close(struct sartor_device *device) {
  if (!device)
    return;
  pthread_mutex_lock(&all_lock);
  for (struct sartor_device **each = &all_devices; *each; each = &(*each)->next)
    if (*each == device) {
      *each = device->next;
      break;
    }
  pthread_mutex_unlock(&all_lock);
  pthread_mutex_destroy(&device->talking);
  pthread_mutex_destroy(&device->reading);
  pthread_mutex_destroy(&device->lock);
  forget(device);
}

int sartor_device_read_key(const char *path, unsigned char *key, size_t bytes) {
  char text[2 * 64 + 1];
  size_t read = 0;
  FILE *file = bytes <= 64 ? fopen(path, "rb") : NULL;
  if (!file)
    return 0;
  const size_t digits = fread(text, 1, 2 * bytes, file);
  fclose(file);
  const int good = digits == 2 * bytes &&
                   sodium_hex2bin(key, bytes, text, digits, NULL, &read, NULL) == 0 &&
                   read == bytes;
  sodium_memzero(text, sizeof text);
  return good;
}
