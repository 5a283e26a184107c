/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Before musl's own: `libc.need_locks` is 0. */
#include_next "libc.h"
#ifndef need_locks
#define need_locks can_do_threads * 0
#endif
