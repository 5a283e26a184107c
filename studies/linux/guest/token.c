/* SPDX-License-Identifier: GPL-2.0-only */
#include <fcntl.h>
#include <sys/ioctl.h>

#include "guest.h"

int sartor;

void open_sartor(void) {
  sartor = open("/dev/sartor", O_RDWR | O_CLOEXEC);
  if (sartor < 0)
    fail("/dev/sartor");
}

unsigned customize(int fd, unsigned size, unsigned flags) {
  struct sartor_customize call = {.fd = fd, .flags = flags, .size = size};
  return ioctl(sartor, SARTOR_CUSTOMIZE, &call) == 0 ? call.token : 0;
}

long customized_send(unsigned token, const void *buffer, size_t size, unsigned flags) {
  const struct sartor_send call = {token, flags, (uintptr_t)buffer, size};
  return ioctl(sartor, SARTOR_SEND, &call);
}

int cancel(unsigned token) { return ioctl(sartor, SARTOR_CANCEL, &token); }

int wait_for(unsigned token, unsigned milliseconds) {
  const struct sartor_wait call = {token, milliseconds};
  return ioctl(sartor, SARTOR_WAIT, &call);
}

struct sartor_status status_of(unsigned token) {
  struct sartor_status status = {.token = token};
  if (ioctl(sartor, SARTOR_STATUS, &status) != 0)
    fail("status");
  return status;
}
