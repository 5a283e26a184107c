/* SPDX-License-Identifier: GPL-2.0-only */
/* Ticks of a send, specialized and not, of 64 and 1,024 bytes over dummy0. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest.h"

enum { count = 625 };

static uint32_t samples[SARTOR_WAYS][count];
static char buffer[1 << 16] __attribute__((aligned(4096)));

static int compare_numbers(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a;
  const uint32_t y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static uint32_t median(uint32_t *values) {
  qsort(values, count, sizeof *values, compare_numbers);
  return values[count / 2];
}

static double ticks(uint32_t of_batch) { return (double)of_batch / SARTOR_BATCH; }

static void report(void) {
  char text[256] = "";
  const ssize_t size = read(sartor, text, sizeof text - 1);
  if (size > 0)
    printf("said %.*s", (int)size, text);
}

static int measure_size(int fd, unsigned size) {
  const unsigned token = customize(fd, size, MSG_DONTWAIT);
  if (!token)
    fail("customize");
  if (wait_for(token, (unsigned)setting("PATIENCE", 60000)) != 0) {
    report();
    perror("no variant");
    return -1;
  }
  const struct sartor_status status = status_of(token);
  printf("variant %u %u %.3f %u %llx\n", size, status.variant_bytes,
         (double)status.request_ns / 1e6, status.pages, (unsigned long long)status.address);
  sleep((unsigned)setting("HOLD", 0)); /* somebody looks at the code */
  struct sartor_measure call = {.fd = fd,
                                .token = token,
                                .flags = MSG_DONTWAIT,
                                .size = size,
                                .count = count,
                                .buffer = (uintptr_t)buffer,
                                .samples = (uintptr_t)samples};
  for (int round = 0; round < 2; ++round) /* the first warms up */
    if (ioctl(sartor, SARTOR_MEASURE, &call) != 0)
      fail("measure");
  printf("result %u %d\n", size, call.result);
  for (size_t i = 0; i < count; ++i)
    printf("batch %u %.2f %.2f %.2f\n", size, ticks(samples[0][i]), ticks(samples[1][i]),
           ticks(samples[2][i]));
  printf("median %u %.1f %.1f %.1f\n", size, ticks(median(samples[0])), ticks(median(samples[1])),
         ticks(median(samples[2])));
  cancel(token);
  return 0;
}

/* Requests for other sizes, and again after changes that change nothing. */
static void measure_requests(int fd) {
  const int ttl = -1; /* as it is */
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned token = customize(fd, 100 + i, MSG_DONTWAIT);
    if (!token || wait_for(token, 60000) != 0)
      fail("request");
    printf("request compiled %.3f\n", (double)status_of(token).request_ns / 1e6);
    if (setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, sizeof ttl) != 0 || wait_for(token, 60000) != 0)
      fail("request again");
    printf("request cached %.3f\n", (double)status_of(token).request_ns / 1e6);
    cancel(token);
  }
}

int measure(void) {
  const int fd = udp_to("10.1.1.2", 9);
  memset(buffer, 'x', sizeof buffer);
  /* The route of a socket is known after its first message. */
  if (send(fd, buffer, 64, 0) != 64)
    fail("send");
  if (measure_size(fd, 64) != 0 || measure_size(fd, 1024) != 0)
    return 1;
  measure_requests(fd);
  return 0;
}
