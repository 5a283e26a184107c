// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_WORK_H
#define SARTOR_LOADER_PROBE_WORK_H

/// Returns the same number for the same seed; calls the C library and the math library.
unsigned long work(unsigned seed);
/// Calls `callback` with `data` in the middle of other work.
unsigned long work_with(unsigned long (*callback)(void *), void *data);
/// Waits until a byte can be read from `handle`.
void work_waits(int handle);
/// Computes for about `milliseconds` of CPU time.
unsigned long work_spins(int milliseconds);
extern int work_calls;

#endif
