/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** What PCRE2's matcher knows of variants. Included where pcre2_internal.h is. */
#ifndef PSARTOR_H
#define PSARTOR_H

#include <stdint.h>

/** What a variant knows of its pattern. Does not change while the pattern is there. */
typedef struct psartor_Program {
  const pcre2_real_code *re;
  PCRE2_SPTR name_table;
  PCRE2_SPTR start_code;
  const uint8_t *tables;
  PCRE2_SIZE frame_size;
  uint32_t poptions;
  uint32_t nltype, nllen;
  PCRE2_UCHAR nl[4];
  uint32_t has; /**< PSARTOR_…: whether there is something in the pattern that changes it. */
  uint16_t top_bracket, bsr_convention, name_count, name_entry_size;
  uint16_t hasthen, allowemptypartial;
} psartor_Program;
enum {
  PSARTOR_CUTS = 1,        /**< Frames are gone back over. */
  PSARTOR_MOVES_START = 2, /**< \K */
  PSARTOR_MARKS = 4,
  PSARTOR_RECURSES = 8,
  PSARTOR_CALLS_OUT = 16,
  PSARTOR_ALL = 31
};

typedef int (*psartor_Run)(PCRE2_SPTR start, pcre2_match_data *match_data, match_block *mb);

/** A pattern with a variant. */
typedef struct psartor_Pattern psartor_Pattern;
struct psartor_Pattern {
  psartor_Run run; /**< Null: the handler's native code. */
  psartor_Program program;
};

/** As match(), at one place of a subject. */
int psartor_match(PCRE2_SPTR start, pcre2_match_data *match_data, match_block *mb,
                  const psartor_Program *own);
/** The interpreter from some place on: `left` is a psartor_Left. */
int psartor_go_on(const void *left, const psartor_Program *own, pcre2_match_data *match_data,
                  match_block *mb);

/* In pcre2_real_code.sartor: how often the pattern was used, or this and more. */
#define PSARTOR_NEVER ((uintptr_t)1 << 30)
#define PSARTOR_ASKED (PSARTOR_NEVER + 1)
#define PSARTOR_LAST PSARTOR_ASKED
extern uintptr_t psartor_heat; /**< So many uses until one is hot. */

void psartor_hot(pcre2_real_code *re, const match_block *mb, PCRE2_SIZE frame_size);
/** The pattern's memory is about to be freed. */
void psartor_free(pcre2_real_code *re);

/** Counts a use of the pattern. Gives what stands for match(), if there is a variant. */
static inline const psartor_Pattern *psartor_find(const pcre2_real_code *code,
                                                  const match_block *mb, PCRE2_SIZE frame_size) {
  pcre2_real_code *re = (pcre2_real_code *)code;
  uintptr_t seen = __atomic_load_n(&re->sartor, __ATOMIC_ACQUIRE);
  if (seen < psartor_heat) {
    /* Another thread's count is as good. */
    if (__atomic_compare_exchange_n(&re->sartor, &seen, seen + 1, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE) &&
        seen + 1 == psartor_heat)
      psartor_hot(re, mb, frame_size);
    seen = __atomic_load_n(&re->sartor, __ATOMIC_ACQUIRE);
  }
  return seen > PSARTOR_LAST ? (const psartor_Pattern *)seen : NULL;
}

static inline int psartor_call(const psartor_Pattern *pattern, PCRE2_SPTR start,
                               pcre2_match_data *match_data, match_block *mb) {
  return pattern->run ? pattern->run(start, match_data, mb)
                      : psartor_match(start, match_data, mb, &pattern->program);
}

#endif
