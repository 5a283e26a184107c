/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** What PCRE2's matcher knows of variants. Included where pcre2_internal.h is. */
#ifndef PSARTOR_H
#define PSARTOR_H

#include <stdint.h>

#include <sartor/program.h>

enum { PSARTOR_RANGES = 8, PSARTOR_FEW = 32 };

/** What a variant knows of its pattern, besides what PCRE2 has of it. Does not change while the
 * pattern is there. */
typedef struct psartor_Program {
  PCRE2_SPTR start_code;
  PCRE2_SPTR searched; /**< The instruction whose character is searched for, so that it fits. */
  PCRE2_SIZE frame_size;
  uint32_t has; /**< PSARTOR_…: whether there is something in the pattern that changes it. */
  uint16_t top_bracket;
  /** Of the characters that a match may begin with. None: there are more, or all do. */
  uint8_t ranges;
  struct {
    uint8_t first, beyond; /**< From, and how many more. */
  } range[PSARTOR_RANGES];
} psartor_Program;
enum {
  PSARTOR_CUTS = 1,        /**< Frames are gone back over. */
  PSARTOR_MOVES_START = 2, /**< \K */
  PSARTOR_MARKS = 4,
  PSARTOR_RECURSES = 8,
  PSARTOR_CALLS_OUT = 16,
  PSARTOR_ALL = 31
};

/** As pcre2_match(), of a certain pattern. */
typedef int (*psartor_Run)(PCRE2_SPTR subject, PCRE2_SIZE length, PCRE2_SIZE start_offset,
                           uint32_t options, pcre2_match_data *match_data,
                           pcre2_match_context *mcontext);

/** A pattern that is hot. */
typedef struct psartor_Pattern {
  psartor_Run run; /**< Null: it is not there, or is the handler's native code. */
  psartor_Program program;
  sartor_program hot;
} psartor_Pattern;

/** The handler. */
int psartor_search(const psartor_Program *own, const pcre2_code *code, PCRE2_SPTR subject,
                   PCRE2_SIZE length, PCRE2_SIZE start_offset, uint32_t options,
                   pcre2_match_data *match_data, pcre2_match_context *mcontext);
/** The interpreter from some place on: `left` is a psartor_Left. */
int psartor_go_on(const void *left, const psartor_Program *own, pcre2_match_data *match_data,
                  match_block *mb);

/* In pcre2_real_code.sartor: how often the pattern was used, or this, or a psartor_Pattern. */
#define PSARTOR_NEVER ((uintptr_t)1 << 30)
extern uintptr_t psartor_heat; /**< So many uses until one is hot. */

void psartor_hot(pcre2_real_code *re);
/** Whether there is something to run in the interpreter's place by now. */
int psartor_look(psartor_Pattern *pattern, pcre2_real_code *re);
/** The pattern's memory is about to be freed. */
void psartor_free(pcre2_real_code *re);

/** Counts a use of the pattern. Gives what stands for pcre2_match(), if there is something. */
static inline const psartor_Pattern *psartor_find(const pcre2_real_code *code) {
  pcre2_real_code *re = (pcre2_real_code *)code;
  uintptr_t seen = __atomic_load_n(&re->sartor, __ATOMIC_ACQUIRE);
  if (seen < psartor_heat) {
    /* Another thread's count is as good. */
    if (__atomic_compare_exchange_n(&re->sartor, &seen, seen + 1, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE) &&
        seen + 1 == psartor_heat)
      psartor_hot(re);
    seen = __atomic_load_n(&re->sartor, __ATOMIC_ACQUIRE);
  }
  if (seen <= PSARTOR_NEVER)
    return NULL;
  psartor_Pattern *pattern = (psartor_Pattern *)seen;
  return __atomic_load_n(&pattern->run, __ATOMIC_ACQUIRE) || psartor_look(pattern, re) ? pattern
                                                                                       : NULL;
}

static inline int psartor_call(const psartor_Pattern *pattern, const pcre2_code *code,
                               PCRE2_SPTR subject, PCRE2_SIZE length, PCRE2_SIZE start_offset,
                               uint32_t options, pcre2_match_data *match_data,
                               pcre2_match_context *mcontext) {
  return pattern->run ? pattern->run(subject, length, start_offset, options, match_data, mcontext)
                      : psartor_search(&pattern->program, code, subject, length, start_offset,
                                       options, match_data, mcontext);
}

#endif
