// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_RESIDENT_H
#define SARTOR_BENCH_RESIDENT_H

#include <cstddef>
#include <fstream>

#include <malloc.h>
#include <unistd.h>

namespace sartor::bench {

/// Returns the resident bytes of this process, without free memory of the allocator.
inline double resident_bytes() {
  malloc_trim(0);
  std::size_t size = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

} // namespace sartor::bench

#endif
