/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages of an untrusted server to a device: an answer with a valid signature, and a stream of
 * frames. Code that is placed is not called. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device/ask.c" // NOLINT(bugprone-suspicious-include): its static functions are tested

static int32_t declared[64];

static int32_t folded(const int32_t *at, int32_t scale) { return at ? *at * scale : 0; }

static const struct sartor_device_symbol symbols[] = {
    {"calls_seen", declared}, {"memcpy", (void *)memcpy}, {"outside", (void *)folded}};
static const struct sartor_device_symbol handlers[] = {{"f", NULL}};
static const unsigned char folded_types[] = {SARTOR_SCALAR_S32, SARTOR_SCALAR_POINTER,
                                             SARTOR_SCALAR_S32};
static const struct sartor_extent folded_extents[] = {{4, SARTOR_ONCE}, {0, SARTOR_ONCE}};
static const struct sartor_foldable foldables[] = {
    {"outside", (void *)folded, folded_types, 2, folded_extents}};
static const char *const labels[] = {"a"};
static int64_t guard_failures[2];
static const struct sartor_device_module module = {"0123",   "x86-64", symbols, 3, foldables,     1,
                                                   handlers, 1,        labels,  1, guard_failures};

static struct sartor_device *device_for_all(void) {
  static struct sartor_device *device;
  static const unsigned char key[32];
  unsigned invariant;
  struct sartor_device_options options = {0};
  if (device)
    return device;
  options.module = &module;
  options.server = "unix:/nowhere";
  options.server_key = key;
  options.code_bytes = 4096;
  options.milliseconds = 50;
  if (sartor_device_open(&options, &device) != SARTOR_DEVICE_OK)
    abort();
  sartor_device_declare_invariant(device, declared, sizeof declared, &invariant);
  return device;
}

/* Treats the data as an answer with a valid signature. */
static void look_at_answer(struct sartor_device *device, const uint8_t *data, size_t size) {
  const struct sartor_reader reader = {data, size, 1};
  struct sartor_request request = {device, &device->versions[1], 0, 0, 0, 0, "f"};
  struct customized made;
  if (!read_customized(device, reader, &made))
    return;
  atomic_store(&request.version->is_wanted, 1);
  request.serial = request.version->serial;
  use(&request, &made);
  report_remarks(&request, &made);
}

static void look_at_stream(struct sartor_device *device, const uint8_t *data, size_t size) {
  int ends[2];
  struct sartor_device_setting setting = sartor_device_pointer(0, declared);
  sartor_device_binding binding;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    abort();
  if (send(ends[1], data, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ||
      shutdown(ends[1], SHUT_WR) != 0 ||
      sartor_device_customize(device, "f", &setting, 1, &binding) != SARTOR_DEVICE_OK) {
    close(ends[0]);
    close(ends[1]);
    return;
  }
  device->talk.channel.link.socket = ends[0];
  device->retry_at = 0;
  atomic_store(&device->bindings[binding & 0xffff].version->is_wanted, 1);
  fetch_one(device, device->bindings[binding & 0xffff].version, UINT64_MAX);
  sartor_channel_close(&device->talk.channel);
  close(ends[1]);
  sartor_device_cancel(device, binding);
}

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  (*data % 2 == 0 ? look_at_answer : look_at_stream)(device_for_all(), data + 1, size - 1);
  return 0;
}
