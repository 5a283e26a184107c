/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

void halt(void) {
  fflush(stdout);
  sync();
  reboot(RB_POWER_OFF);
  for (;;)
    pause();
}

void fail(const char *what) {
  printf("FAILED %s: %s\n", what, strerror(errno));
  halt();
}

long setting(const char *name, long otherwise) {
  const char *value = getenv(name);
  return value ? atol(value) : otherwise;
}

int main(void) {
  const char *mode = getenv("MODE");
  setvbuf(stdout, NULL, _IOLBF, 0);
  mkdir("/proc", 0755);
  mkdir("/dev", 0755);
  if (mount("proc", "/proc", "proc", 0, NULL) != 0 ||
      mount("dev", "/dev", "devtmpfs", 0, NULL) != 0)
    fail("mount");
  up("lo", "127.0.0.1");
  up("dummy0", "10.1.1.1");
  up("dummy1", "10.3.1.1");
  if (set_route("dummy0") != 0)
    fail("route");
  open_sartor();
  const int failed = !mode                            ? -1
                     : strcmp(mode, "compare") == 0   ? compare()
                     : strcmp(mode, "measure") == 0   ? measure()
                     : strcmp(mode, "interface") == 0 ? interface()
                                                      : -1;
  puts(failed ? "ended: wrong" : "ended: right");
  halt();
}
