/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The interface between PCRE2's matcher and variants. Included after pcre2_internal.h. */
#ifndef PSARTOR_H
#define PSARTOR_H

#include <stdint.h>

#include <sartor/guest_program.h>

enum { PSARTOR_RANGES = 8, PSARTOR_FEW = 32 };

/** The data that a variant is specialized to, in addition to PCRE2's own. Does not change while
 * the pattern exists. */
typedef struct psartor_Program {
  PCRE2_SPTR start_code;
  PCRE2_SPTR searched; /**< The instruction whose character was searched for. */
  PCRE2_SIZE frame_size;
  uint32_t has; /**< PSARTOR_…: the features of the pattern. */
  uint16_t top_bracket;
  /** Number of ranges of the characters that a match may begin with; 0 if there are more, or no
   * restriction. */
  uint8_t ranges;
  struct {
    uint8_t first, beyond; /**< First character of a range, and the number of further ones. */
  } range[PSARTOR_RANGES];
} psartor_Program;
enum {
  PSARTOR_CUTS = 1,        /**< Frames may be discarded, as after assertions. */
  PSARTOR_MOVES_START = 2, /**< \K */
  PSARTOR_MARKS = 4,
  PSARTOR_RECURSES = 8,
  PSARTOR_CALLS_OUT = 16,
  PSARTOR_ALL = 31
};

/** As pcre2_match(), for one pattern. */
typedef int (*psartor_Run)(PCRE2_SPTR subject, PCRE2_SIZE length, PCRE2_SIZE start_offset,
                           uint32_t options, pcre2_match_data *match_data,
                           pcre2_match_context *mcontext);

/** A hot pattern. */
typedef struct psartor_Pattern {
  psartor_Run run; /**< Null: not ready, or the handler's native code. */
  psartor_Program program;
  sartor_guest_program hot;
} psartor_Pattern;

/** The handler. */
int psartor_search(const psartor_Program *own, const pcre2_code *code, PCRE2_SPTR subject,
                   PCRE2_SIZE length, PCRE2_SIZE start_offset, uint32_t options,
                   pcre2_match_data *match_data, pcre2_match_context *mcontext);
/** Continues in the interpreter from a given state: `left` is a psartor_Left. */
int psartor_go_on(const void *left, const psartor_Program *own, pcre2_match_data *match_data,
                  match_block *mb);

/* Values of pcre2_real_code.sartor: the number of uses of the pattern, PSARTOR_NEVER, or a
 * psartor_Pattern. */
#define PSARTOR_NEVER ((uintptr_t)1 << 30)
extern uintptr_t psartor_heat; /**< The number of uses until a pattern is hot. */

void psartor_hot(pcre2_real_code *re);
/** Returns whether a variant can run instead of the interpreter by now. */
int psartor_look(psartor_Pattern *pattern, pcre2_real_code *re);
/** Must be called before the pattern's memory is freed. */
void psartor_free(pcre2_real_code *re);

/** Counts a use of the pattern. Returns the replacement for pcre2_match(), or null. */
static inline const psartor_Pattern *psartor_find(const pcre2_real_code *code) {
  pcre2_real_code *re = (pcre2_real_code *)code;
  uintptr_t seen = __atomic_load_n(&re->sartor, __ATOMIC_ACQUIRE);
  if (seen < psartor_heat) {
    /* If another thread has counted, this use need not be. */
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
