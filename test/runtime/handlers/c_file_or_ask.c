/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "c_file_or_ask.h"

#include <sartor/points.h>

SARTOR_HANDLER unsigned long read_or_ask(struct CFile *file, unsigned long bytes) {
  if (bytes == IS_SHARED_FOLDED)
    return __builtin_constant_p(file->shared) ? 1 : 0; /* as answered after optimization */
  file->offset += bytes;
  return file->shared;
}
