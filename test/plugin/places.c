/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers whose result depends on, or asks for, the address of their code. */
#include "places.h"

#include <dlfcn.h>

#include <sartor/points.h>

SARTOR_HANDLER void *next_of(const char *name, int way) {
  const int known = sartor_enum("next_way", way, 0, 1, 2);
  void *found = known == 2 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5")
                           : dlsym(known == 1 ? RTLD_DEFAULT : RTLD_NEXT, name);
  __asm__ volatile("" : "+r"(found)); /* prevents a tail call, which would have another caller */
  return found;
}

static int count(struct dl_phdr_info *info, size_t size, void *counted) {
  (void)info;
  (void)size;
  ++*(int *)counted;
  return 0;
}

SARTOR_HANDLER int objects_seen(int way) {
  int seen = 0;
  dl_iterate_phdr(count, &seen);
  return seen * sartor_enum("seen_way", way, 1, 2);
}

__attribute__((noinline)) static int sees_an_object(void) {
  Dl_info info;
  return dladdr(__builtin_return_address(0), &info) != 0;
}

SARTOR_HANDLER int is_called_from_an_object(int way) {
  return sees_an_object() * sartor_enum("called_way", way, 1, 2);
}

SARTOR_HANDLER int has_a_caller_in_an_object(int way) {
  Dl_info info;
  return (dladdr(__builtin_return_address(0), &info) != 0) * sartor_enum("caller_way", way, 1, 2);
}

SARTOR_HANDLER long load_or_less(const long *from, int way) {
  long value = -1;
  __asm__ volatile("1: movq (%1), %0\n"
                   "2:\n"
                   ".pushsection place_exceptions, \"aw\"\n"
                   ".quad 1b, 2b\n"
                   ".popsection\n"
                   : "+r"(value)
                   : "r"(from));
  return value * sartor_enum("load_way", way, 1, 2);
}

SARTOR_HANDLER long with_subsection(long value, int way) {
  __asm__ volatile("jmp 1f\n"
                   ".subsection 1\n"
                   "1: addq $1, %0\n"
                   "jmp 2f\n"
                   ".previous\n"
                   "2:\n"
                   : "+r"(value));
  return value * sartor_enum("subsection_way", way, 1, 2);
}

SARTOR_HANDLER long probed(long value, int way) {
  __asm__ volatile("990: nop\n"
                   ".pushsection .note.stapsdt,\"\",\"note\"\n"
                   ".balign 4\n"
                   ".4byte 992f-991f, 994f-993f, 3\n"
                   "991: .asciz \"stapsdt\"\n"
                   "992: .balign 4\n"
                   "993: .8byte 990b\n"
                   ".8byte 0\n"
                   ".8byte 0\n"
                   ".asciz \"test\"\n"
                   ".asciz \"probed\"\n"
                   ".asciz \"8@%0\"\n"
                   "994: .balign 4\n"
                   ".popsection\n"
                   :
                   : "r"(value));
  return value * sartor_enum("probe_way", way, 1, 2);
}
