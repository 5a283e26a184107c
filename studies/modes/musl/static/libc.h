/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Included before musl's own header: makes `libc.need_locks` 0. */
#include_next "libc.h"
#ifndef need_locks
#define need_locks can_do_threads * 0
#endif
