// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_WORK_H
#define SARTOR_LOADER_PROBE_WORK_H

/// The same number for the same seed; calls into the C library and the mathematical one.
unsigned long work(unsigned seed);
/// Calls that with data, in the middle of other work.
unsigned long work_with(unsigned long (*callback)(void *), void *data);
/// Until a byte can be read from here.
void work_waits(int handle);
/// For about so many milliseconds of the processor's time.
unsigned long work_spins(int milliseconds);
extern int work_calls;

#endif
