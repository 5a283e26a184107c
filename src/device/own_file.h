/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The identity of a descriptor that is kept open. The program may close the descriptor and open a
 * file of its own under its number, which is then neither used nor closed here. */
#ifndef SARTOR_DEVICE_OWN_FILE_H
#define SARTOR_DEVICE_OWN_FILE_H

#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

struct sartor_own_file {
  uint64_t device;
  uint64_t inode;
};

/* Returns the identity of a descriptor that has just been opened. */
static inline struct sartor_own_file sartor_own_file_of(int descriptor) {
  struct sartor_own_file own = {0, 0};
  struct stat status;
  if (fstat(descriptor, &status) == 0) {
    own.device = status.st_dev;
    own.inode = status.st_ino;
  }
  return own;
}

static inline int sartor_is_still_ours(int descriptor, struct sartor_own_file own) {
  struct stat status;
  return descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_dev == own.device &&
         status.st_ino == own.inode;
}

static inline void sartor_close_own(int descriptor, struct sartor_own_file own) {
  if (sartor_is_still_ours(descriptor, own))
    close(descriptor);
}

#endif
