/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file device SERVER SERVER.pub DEVICE.key SECONDS FILTER...: a device that filters packets
 * with one filter after another. Writes one line per event:
 *     request MILLISECONDS FILTER INSTRUCTIONS CODE-BYTES MICROSECONDS TURNS TURN-MICROSECONDS
 *     calls MILLISECONDS BY-VARIANTS BY-THE-INTERPRETER WRONG
 *     lost MILLISECONDS, back MILLISECONDS */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sartor/device/device.h>

#include "filter.h"

extern const struct sartor_device_module filter_module;

enum { most_instructions = 256, packets = 96, longest_packet = 128, milliseconds_each = 350 };

typedef uint32_t (*filter)(const struct instruction *, const uint8_t *, uint32_t);

static struct timespec start;
static uint8_t traffic[packets][longest_packet];
static uint32_t lengths[packets];
static unsigned long by_variants;
static unsigned long by_interpreter;
static unsigned long wrong;

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (time.tv_sec - start.tv_sec) * 1000 + (time.tv_nsec - start.tv_nsec) / 1000000;
}

static void on_event(void *context, enum sartor_device_event event, const char *text) {
  (void)context;
  if (event == SARTOR_DEVICE_EVENT_LOST)
    printf("lost %ld\n", now());
  else if (event == SARTOR_DEVICE_EVENT_RECONNECTED)
    printf("back %ld\n", now());
  else
    fprintf(stderr, "%s\n", text);
  fflush(stdout);
}

/* Fills the packet buffer with Ethernet frames, mostly of IP, of many protocols and ports. */
static void make_traffic(void) {
  static const uint16_t types[] = {0x0800, 0x0800, 0x0800, 0x0800, 0x86dd, 0x0806, 0x8100};
  static const uint8_t protocols[] = {6, 6, 17, 17, 1, 58};
  static const uint16_t ports[] = {53, 80, 443, 22, 1883, 8883, 8080, 5050, 40000};
  uint64_t seed = 12345;
  for (int i = 0; i < packets; ++i) {
    uint8_t *packet = traffic[i];
    for (int j = 0; j < longest_packet; ++j) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      packet[j] = (uint8_t)(seed >> 56);
    }
    const unsigned random = (unsigned)(seed >> 33);
    const uint16_t type = types[random % 7];
    const uint16_t port = ports[random / 7 % 9];
    const uint8_t protocol = protocols[random / 63 % 6];
    const int is_four = type == 0x0800;
    packet[12] = (uint8_t)(type >> 8);
    packet[13] = (uint8_t)type;
    packet[14] = type == 0x86dd ? 0x60 : 0x45;
    packet[is_four ? 23 : 20] = protocol;
    if (is_four) {
      packet[20] &= 0x40; /* mostly not a fragment */
      packet[21] = 0;
    }
    const int at = is_four ? 34 : 54;
    packet[at + (random & 1 ? 0 : 2)] = (uint8_t)(port >> 8);
    packet[at + (random & 1 ? 1 : 3)] = (uint8_t)port;
    lengths[i] = i % 13 == 0 ? random % longest_packet : longest_packet;
  }
}

static int read_filter(const char *path, struct instruction *program) {
  char line[2048];
  int count = -1;
  int read = 0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    char *at = line;
    if (line[0] == '#')
      continue;
    const unsigned long first = strtoul(at, &at, 10);
    if (count < 0) {
      count = (int)first;
    } else if (read < most_instructions) {
      struct instruction *instruction = &program[read++];
      instruction->code = (uint16_t)first;
      instruction->if_true = (uint8_t)strtoul(at, &at, 10);
      instruction->if_false = (uint8_t)strtoul(at, &at, 10);
      instruction->k = (uint32_t)strtoul(at, &at, 10);
    }
  }
  if (file)
    fclose(file);
  return read == count ? read : 0;
}

/* Filters all packets once with the active code and compares the results with the interpreter's. */
static void filter_traffic(struct sartor_device *device, sartor_device_binding binding,
                           const struct instruction *program) {
  for (int i = 0; i < packets; ++i) {
    const struct sartor_device_code code = sartor_device_enter(device, binding);
    const uint32_t found = ((filter)code.function)(program, traffic[i], lengths[i]);
    sartor_device_leave(device, code);
    *(code.is_variant ? &by_variants : &by_interpreter) += 1;
    wrong += found != run_filter(program, traffic[i], lengths[i]);
  }
}

static atomic_int is_over;

static void *attend(void *device) {
  while (!atomic_load(&is_over)) {
    sartor_device_attend(device, 100);
    const struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
  }
  return NULL;
}

static void report_request(struct sartor_device *device, int number, int instructions) {
  const struct sartor_device_figures figures = sartor_device_figures(device);
  printf("request %ld %d %d %lu %lu %lu %lu\n", now(), number, instructions,
         (unsigned long)figures.request_code, (unsigned long)(figures.request_ns / 1000),
         (unsigned long)figures.request_turns, (unsigned long)(figures.turn_ns / 1000));
}

/* Runs one filter for its share of the time. */
static void use_filter(struct sartor_device *device, const char *path, int number) {
  static struct instruction program[most_instructions];
  unsigned invariant;
  sartor_device_binding binding;
  const int count = read_filter(path, program);
  const struct sartor_device_setting settings[] = {sartor_device_pointer(0, program)};
  if (count == 0 ||
      sartor_device_declare_invariant(device, program, (size_t)count * sizeof *program,
                                      &invariant) != SARTOR_DEVICE_OK ||
      sartor_device_customize(device, "run_filter", settings, 1, &binding) != SARTOR_DEVICE_OK) {
    printf("cannot use %s\n", path);
    exit(1);
  }
  const uint64_t requests = sartor_device_figures(device).requests;
  int is_reported = 0;
  for (const long until = now() + milliseconds_each; now() < until;) {
    filter_traffic(device, binding, program);
    if (!is_reported && sartor_device_figures(device).requests > requests) {
      is_reported = 1;
      report_request(device, number, count);
    }
    const struct timespec pause = {0, 5000000}; /* pause between bursts of traffic */
    nanosleep(&pause, NULL);
  }
  printf("calls %ld %lu %lu %lu\n", now(), by_variants, by_interpreter, wrong);
  fflush(stdout);
  sartor_device_cancel(device, binding);
  if (sartor_device_revoke(device, invariant) != SARTOR_DEVICE_OK)
    exit(1);
}

int main(int count, char **words) {
  unsigned char server_key[32];
  unsigned char key[64];
  struct sartor_device *device;
  pthread_t thread;
  struct sartor_device_options options = {0};
  if (count < 6 || !sartor_device_read_key(words[2], server_key, sizeof server_key) ||
      !sartor_device_read_key(words[3], key, sizeof key))
    return 2;
  clock_gettime(CLOCK_MONOTONIC, &start);
  make_traffic();
  options.module = &filter_module;
  options.server = words[1];
  options.server_key = server_key;
  options.key = key;
  options.code_bytes = 32 << 10;
  options.milliseconds = 1500;
  options.pages = 256; /* so that long filters are requested, too */
  options.report = on_event;
  if (sartor_device_open(&options, &device) != SARTOR_DEVICE_OK ||
      pthread_create(&thread, NULL, attend, device) != 0)
    return 1;
  for (int i = 0; now() < 1000 * strtol(words[4], NULL, 10); ++i)
    use_filter(device, words[5 + i % (count - 5)], i % (count - 5));
  atomic_store(&is_over, 1);
  pthread_join(thread, NULL);
  sartor_device_close(device);
  return wrong > 0;
}
