// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the stock loader's data about the processor, and the C library's data about its caches.
#include <stdio.h>
#include <unistd.h>

#include <sys/platform/x86.h>

int main(void) {
  for (unsigned i = 0; i < 9; ++i) {
    const struct cpuid_feature *said = __x86_get_cpuid_feature_leaf(i);
    printf("%u:", i);
    for (unsigned word = 0; word < 4; ++word)
      // The APIC id depends on the processor that was asked, which is a matter of chance.
      printf(" %x/%x", word == 1 && i == 0 ? 0 : said->cpuid_array[word], said->active_array[word]);
    printf("\n");
  }
  for (int what = _SC_LEVEL1_ICACHE_SIZE; what <= _SC_LEVEL4_CACHE_LINESIZE; ++what)
    printf("%ld\n", sysconf(what));
  printf("%d\n", __builtin_cpu_supports("avx2") != 0);
  return 0;
}
