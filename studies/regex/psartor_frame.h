/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Macros for the frames of pcre2_match.c, in two versions: unchanged, and for the handler,
 * which compiles the same file again (psartor_variant.c). The handler keeps the current frame in
 * local variables. When it leaves a frame, it writes the state needed on return (KEEP) to the
 * frame itself. So both versions agree about all frames but the current one, and matching can
 * continue in the interpreter whenever the handler does not know its position in the pattern. */
#include "psartor.h"

/* How the interpreter continues with a frame: by backtracking into it, or with the next
 * instruction. */
typedef struct {
  heapframe *frame;
  heapframe *accepted; /* assert_accept_frame */
  PCRE2_SPTR start;
  int rrc;
  int goes_on;
} psartor_Left;

#ifndef PSARTOR_VARIANT

#define MATCH_FUNCTION static int
#define DECLARE_FRAME heapframe *F;
#define HERE F
#define KEEP(id)
#define COME_BACK(id)
#define RESUME()                                                                                   \
  if (start_eptr == NULL) {                                                                        \
    const psartor_Left *left = (const psartor_Left *)start_ecode;                                  \
    group_frame_type = 0;                                                                          \
    F = left->frame;                                                                               \
    rrc = left->rrc;                                                                               \
    assert_accept_frame = left->accepted;                                                          \
    if (left->goes_on)                                                                             \
      goto GO_ON;                                                                                  \
    goto COME_BACK_TO;                                                                             \
  }
#define ENTER_NEW_FRAME()                                                                          \
  memcpy((char *)N + offsetof(heapframe, eptr), (char *)F + offsetof(heapframe, eptr),             \
         frame_copy_size);                                                                         \
  N->rdepth = Frdepth + 1;                                                                         \
  F = N
#define CAPTURE(offset)
#define NOTE_GROUP()
#define INTERPRET()                                                                                \
  GO_ON:
#define WRITE_FRAME()
#define GO_BACK_TO(frame) F = frame
#define CODE_OF(frame) ((frame)->ecode)
#define FIRST_TO_LEAVE(group) (P->ecode)
#define GO_ON_AT(frame, code) (frame)->ecode = (code)
#define NOTE(place)
#define NOTED(place) (place)
#define NOTE_LENGTH(length)
#define NOTED_LENGTH(length) (length)
#define KNOWN(statement)
#define IN_RECURSION(test) (test)
#define NOTE_BACKTRACK() mb->cb->callout_flags |= PCRE2_CALLOUT_BACKTRACK
#define FIND_POSITION()                                                                            \
  COME_BACK_TO:
#define RETURN_ID Freturn_id

/* Fills in the parts of frames that the handler does not write. */
static void psartor_fill_frames(const psartor_Left *left, const psartor_Program *own,
                                const pcre2_match_data *match_data) {
  for (char *at = (char *)match_data->heapframes; at <= (char *)left->frame;
       at += own->frame_size) {
    heapframe *frame = (heapframe *)at;
    if (!(own->has & PSARTOR_CUTS))
      frame->back_frame = own->frame_size;
    if (!(own->has & PSARTOR_MOVES_START))
      frame->start_match = left->start;
    if (!(own->has & PSARTOR_MARKS))
      frame->mark = NULL;
    if (!(own->has & PSARTOR_RECURSES))
      frame->current_recurse = RECURSE_UNSET;
    if (!(own->has & (PSARTOR_CALLS_OUT | PSARTOR_RECURSES))) {
      frame->capture_last = 0;
      memset(frame->ovector + frame->offset_top, 0xff,
             (2 * own->top_bracket - frame->offset_top) * sizeof(PCRE2_SIZE));
    }
  }
}

#define SKIP_TO_START()
#define SKIP_TO_LINE()
#define MATCH match
#define MATCH_FROM_SOMEWHERE                                                                       \
  int psartor_go_on(const void *left, const psartor_Program *own, pcre2_match_data *match_data,    \
                    match_block *mb) {                                                             \
    psartor_fill_frames(left, own, match_data);                                                    \
    return match(NULL, left, own->top_bracket, own->frame_size, match_data, mb);                   \
  }
#define USE_VARIANT()                                                                              \
  do {                                                                                             \
    const psartor_Pattern *pattern = psartor_find(re);                                             \
    if (pattern)                                                                                   \
      return psartor_call(pattern, code, subject,                                                  \
                          was_zero_terminated ? PCRE2_ZERO_TERMINATED : length, start_offset,      \
                          options, match_data, mcontext);                                          \
  } while (0)

#else

#include <sartor/points.h>

#define MATCH_FUNCTION __attribute__((always_inline)) static inline int
#define match(...) psartor_match_as(const psartor_Program *own, psartor_Left *left, __VA_ARGS__)
#define MATCH(...) psartor_match_at(own, __VA_ARGS__)
#define ALWAYS __attribute__((always_inline)) static inline
#define MATCH_FROM_SOMEWHERE                                                                       \
  ALWAYS int psartor_match_at(const psartor_Program *own, PCRE2_SPTR start, PCRE2_SPTR code,       \
                              uint16_t top_bracket, PCRE2_SIZE frame_size,                         \
                              pcre2_match_data *match_data, match_block *mb) {                     \
    psartor_Left left;                                                                             \
    const int result =                                                                             \
        psartor_match_as(own, &left, start, code, top_bracket, frame_size, match_data, mb);        \
    if (result != PSARTOR_LEFT)                                                                    \
      return result;                                                                               \
    match_block copy = *mb; /* the other copy is in variables */                                   \
    const int end = psartor_go_on(&left, own, match_data, &copy);                                  \
    mb->match_call_count = copy.match_call_count;                                                  \
    mb->hitend = copy.hitend;                                                                      \
    mb->end_offset_top = copy.end_offset_top;                                                      \
    mb->end_match_ptr = copy.end_match_ptr;                                                        \
    mb->start_used_ptr = copy.start_used_ptr;                                                      \
    mb->last_used_ptr = copy.last_used_ptr;                                                        \
    mb->mark = copy.mark;                                                                          \
    mb->nomatch_mark = copy.nomatch_mark;                                                          \
    mb->verb_ecode_ptr = copy.verb_ecode_ptr;                                                      \
    mb->verb_skip_ptr = copy.verb_skip_ptr;                                                        \
    mb->verb_current_recurse = copy.verb_current_recurse;                                          \
    mb->skip_arg_count = copy.skip_arg_count;                                                      \
    if (mb->nltype != NLTYPE_FIXED)                                                                \
      mb->nllen = copy.nllen;                                                                      \
    return end;                                                                                    \
  }
#define USE_VARIANT()
/* The handler is all of pcre2_match(). */
#undef PCRE2_EXP_DEFN
/* Not compared: fields of match frames that nothing reads after the call differ. */
#define PCRE2_EXP_DEFN SARTOR_UNORDERED SARTOR_HANDLER
#undef pcre2_match
#define pcre2_match(...) psartor_search(const psartor_Program *own, __VA_ARGS__)

/* heapframe without the part whose size depends on the number of groups. */
typedef struct {
  PCRE2_SPTR ecode, temp_sptr[2];
  PCRE2_SIZE length, back_frame, temp_size;
  uint32_t rdepth, group_frame_type, temp_32[4];
  uint8_t return_id, op;
  PCRE2_SPTR eptr, start_match, mark;
  uint32_t current_recurse, capture_last;
  PCRE2_SIZE last_group_offset, offset_top;
} psartor_Frame;

#define DECLARE_FRAME                                                                              \
  heapframe *HERE;                                                                                 \
  psartor_Frame psartor_frame;                                                                     \
  psartor_Frame *const F = &psartor_frame;                                                         \
  uint64_t position;
#define RESUME()
#undef Fovector
#undef Foccu
#define Fovector HERE->ovector
#define Foccu HERE->occu

/* Fields used by single operations that are needed after backtracking. */
enum { S0 = 1, S1 = 2, SIZE = 4, LENGTH = 8, N0 = 16, N1 = 32, N2 = 64, N3 = 128, OP = 256 };
static const unsigned short psartor_wanted[] = {
    [RM2] = N0,
    [RM3] = N0,
    [RM4] = N0,
    [RM5] = N0 | S0 | LENGTH | OP,
    [RM8] = N0 | N1 | N2 | S0 | S1,
    [RM11] = N0 | S0,
    [RM20] = N0 | N1 | N2 | SIZE,
    [RM21] = S0 | LENGTH,
    [RM22] = N0 | N1 | N2 | S0 | SIZE,
    [RM23] = N0 | N1 | S1,
    [RM24] = S0,
    [RM25] = N0 | N1 | N2 | N3,
    [RM26] = S0,
    [RM27] = N0 | N1 | N2,
    [RM28] = S0,
    [RM29] = N0 | N1 | N2 | N3,
    [RM30] = S0,
    [RM31] = N0 | N1 | N2,
    [RM32] = S0,
    [RM33] = N0 | N1 | N2,
    [RM34] = S0 | N2,
    [RM36] = 0,
    [RM100] = N0 | N1 | S1,
    [RM101] = S0,
    [RM200] = N0 | N1 | S1 | OP,
    [RM201] = S0,
    [RM202] = N0 | N1 | S1 | LENGTH | SIZE,
    [RM203] = S0,
    [RM204] = N0 | N1 | N2 | N3,
    [RM205] = S0,
    [RM206] = N0 | N1 | N2,
    [RM207] = S0,
    [RM208... RM217] = N0 | N1 | N2 | N3,
    [RM218] = N0 | N1 | N2 | N3,
    [RM219] = N0 | N1 | N2 | N3,
    [RM220... RM222] = S0 | N2,
    [RM223... RM225] = N0 | N1 | N2 | N3,
};

#define POSITION(code, id) (((uint64_t)((code) - own->start_code) << 8) | (id))

/* Writes the parts that every frame has, except those that are the same for the whole pattern. */
#define WRITE_FRAME()                                                                              \
  HERE->ecode = F->ecode;                                                                          \
  HERE->rdepth = F->rdepth;                                                                        \
  HERE->eptr = F->eptr;                                                                            \
  if (own->has & PSARTOR_CUTS)                                                                     \
    HERE->back_frame = F->back_frame;                                                              \
  if (own->has & PSARTOR_MOVES_START)                                                              \
    HERE->start_match = F->start_match;                                                            \
  if (own->has & PSARTOR_MARKS)                                                                    \
    HERE->mark = F->mark;                                                                          \
  if (own->has & PSARTOR_RECURSES)                                                                 \
    HERE->current_recurse = F->current_recurse;                                                    \
  if (own->has & (PSARTOR_CALLS_OUT | PSARTOR_RECURSES))                                           \
    HERE->capture_last = F->capture_last;                                                          \
  HERE->last_group_offset = F->last_group_offset;                                                  \
  HERE->offset_top = F->offset_top
#define READ_FRAME()                                                                               \
  F->rdepth = HERE->rdepth;                                                                        \
  F->eptr = HERE->eptr;                                                                            \
  F->back_frame = own->has & PSARTOR_CUTS ? HERE->back_frame : frame_size;                         \
  F->start_match = own->has & PSARTOR_MOVES_START ? HERE->start_match : start_eptr;                \
  F->mark = own->has & PSARTOR_MARKS ? HERE->mark : NULL;                                          \
  F->current_recurse = own->has & PSARTOR_RECURSES ? HERE->current_recurse : RECURSE_UNSET;        \
  F->capture_last = own->has & (PSARTOR_CALLS_OUT | PSARTOR_RECURSES) ? HERE->capture_last : 0;    \
  F->last_group_offset = HERE->last_group_offset;                                                  \
  F->offset_top = HERE->offset_top

#define IF_WANTED(id, what, statement)                                                             \
  if (psartor_wanted[id] & (what)) {                                                               \
    statement;                                                                                     \
  }
#define KEEP(id)                                                                                   \
  if (psartor_fails_at_once(own, start_ecode, F, HERE, frames_top, frame_size, mb)) {              \
    FORGET();                                                                                      \
    group_frame_type = 0;                                                                          \
    rrc = MATCH_NOMATCH;                                                                           \
    goto FAILED_##id;                                                                              \
  }                                                                                                \
  WRITE_FRAME();                                                                                   \
  HERE->return_id = id;                                                                            \
  IF_WANTED(id, S0, HERE->temp_sptr[0] = F->temp_sptr[0])                                          \
  IF_WANTED(id, S1, HERE->temp_sptr[1] = F->temp_sptr[1])                                          \
  IF_WANTED(id, SIZE, HERE->temp_size = F->temp_size)                                              \
  IF_WANTED(id, LENGTH, HERE->length = F->length)                                                  \
  IF_WANTED(id, N0, HERE->temp_32[0] = F->temp_32[0])                                              \
  IF_WANTED(id, N1, HERE->temp_32[1] = F->temp_32[1])                                              \
  IF_WANTED(id, N2, HERE->temp_32[2] = F->temp_32[2])                                              \
  IF_WANTED(id, N3, HERE->temp_32[3] = F->temp_32[3])                                              \
  IF_WANTED(id, OP, HERE->op = F->op)                                                              \
  (void)sartor_one_of(POSITION(F->ecode, id));
#define COME_BACK(id)                                                                              \
  FORGET();                                                                                        \
  F->ecode = own->start_code + (position >> 8);                                                    \
  READ_FRAME();                                                                                    \
  IF_WANTED(id, S0, F->temp_sptr[0] = HERE->temp_sptr[0])                                          \
  IF_WANTED(id, S1, F->temp_sptr[1] = HERE->temp_sptr[1])                                          \
  IF_WANTED(id, SIZE, F->temp_size = HERE->temp_size)                                              \
  IF_WANTED(id, LENGTH, F->length = HERE->length)                                                  \
  IF_WANTED(id, N0, F->temp_32[0] = HERE->temp_32[0])                                              \
  IF_WANTED(id, N1, F->temp_32[1] = HERE->temp_32[1])                                              \
  IF_WANTED(id, N2, F->temp_32[2] = HERE->temp_32[2])                                              \
  IF_WANTED(id, N3, F->temp_32[3] = HERE->temp_32[3])                                              \
  IF_WANTED(id, OP, F->op = HERE->op)                                                              \
  FAILED_##id:

#include "psartor_first.h"
#define SKIP_TO_START() start_match = psartor_skip(own, start_bits, start_match, end_subject)
#define SKIP_TO_LINE()                                                                             \
  if (mb->nltype == NLTYPE_FIXED && mb->nllen == 1) {                                              \
    PCRE2_SPTR line_ = memchr(start_match - 1, mb->nl[0], end_subject - start_match + 1);          \
    start_match = line_ ? line_ + 1 : end_subject;                                                 \
  }

/* Captures. Some patterns read beyond the last capture; for all others, that part need not be
 * copied, and is only filled if a group is captured before those in front of it. */
#define ENTER_NEW_FRAME()                                                                          \
  if (own->has & (PSARTOR_CALLS_OUT | PSARTOR_RECURSES) || F->offset_top > 0)                      \
    memcpy(N->ovector, HERE->ovector, frame_size - offsetof(heapframe, ovector));                  \
  ++F->rdepth;                                                                                     \
  HERE = N
#define CAPTURE(offset)                                                                            \
  if (!(own->has & (PSARTOR_CALLS_OUT | PSARTOR_RECURSES)) && (offset) > F->offset_top)            \
  memset(HERE->ovector + F->offset_top, 0xff, ((offset) - F->offset_top) * sizeof(PCRE2_SIZE))
#define NOTE_GROUP() HERE->group_frame_type = group_frame_type

/* Continues in the interpreter if the position in the pattern is unknown. */
#define LEAVE(how)                                                                                 \
  do {                                                                                             \
    left->frame = HERE;                                                                            \
    left->accepted = assert_accept_frame;                                                          \
    left->start = start_eptr;                                                                      \
    left->rrc = rrc;                                                                               \
    left->goes_on = how;                                                                           \
    return PSARTOR_LEFT;                                                                           \
  } while (0)
/* Clears variables that are dead between instructions but that the compiler cannot prove dead:
 * otherwise code would be copied for each of their values. */
#define FORGET()                                                                                   \
  N = P = NULL;                                                                                    \
  bracode = NULL;                                                                                  \
  offset = length = 0;                                                                             \
  proptype = 0;                                                                                    \
  i = fc = number = reptype = 0;                                                                   \
  condition = cur_is_word = prev_is_word = FALSE
#define INTERPRET()                                                                                \
  FORGET();                                                                                        \
  if (!__builtin_constant_p(*Fecode)) {                                                            \
    WRITE_FRAME();                                                                                 \
    rrc = MATCH_MATCH;                                                                             \
    LEAVE(1);                                                                                      \
  }
#define FIND_POSITION()                                                                            \
  position = sartor_one_of(POSITION(HERE->ecode, HERE->return_id));                                \
  if (!__builtin_constant_p(position))                                                             \
  LEAVE(0)
#define RETURN_ID (position & 255)
#define GO_BACK_TO(to)                                                                             \
  HERE = to;                                                                                       \
  rrc = MATCH_MATCH;                                                                               \
  position = sartor_one_of(POSITION(HERE->ecode, HERE->return_id));                                \
  if (!__builtin_constant_p(position)) {                                                           \
    HERE->ecode += 1 + LINK_SIZE;                                                                  \
    LEAVE(1);                                                                                      \
  }                                                                                                \
  F->ecode = own->start_code + (position >> 8);                                                    \
  READ_FRAME()
#define CODE_OF(to)                                                                                \
  ({                                                                                               \
    position = sartor_one_of(POSITION((to)->ecode, (to)->return_id));                              \
    if (!__builtin_constant_p(position)) {                                                         \
      F->ecode = (to)->ecode + 1 + LINK_SIZE;                                                      \
      WRITE_FRAME();                                                                               \
      rrc = MATCH_MATCH;                                                                           \
      LEAVE(1);                                                                                    \
    }                                                                                              \
    own->start_code + (position >> 8);                                                             \
  })
#define FIRST_TO_LEAVE(group) (group)
#define GO_ON_AT(to, code)                                                                         \
  (to)->ecode = (code);                                                                            \
  (void)sartor_one_of(POSITION(code, *bracode == OP_ONCE ? RM2 : RM3))
#define NOTE(place) (void)sartor_one_of((uint32_t)((place) - own->start_code))
#define NOTED(place)                                                                               \
  ({                                                                                               \
    const uint32_t place_ = sartor_one_of((uint32_t)((place) - own->start_code));                  \
    if (!__builtin_constant_p(place_))                                                             \
      LEAVE(0);                                                                                    \
    own->start_code + place_;                                                                      \
  })
#define IN_RECURSION(test) ((own->has & PSARTOR_RECURSES) && (test))
/* Of another type, so that the two are not confused. */
#define NOTE_LENGTH(length) (void)sartor_one_of((uint16_t)(length))
#define NOTED_LENGTH(length)                                                                       \
  ({                                                                                               \
    const uint16_t length_ = sartor_one_of((uint16_t)(length));                                    \
    if (!__builtin_constant_p(length_))                                                            \
      LEAVE(0);                                                                                    \
    (PCRE2_SIZE) length_;                                                                          \
  })
#define KNOWN(statement) statement
#define NOTE_BACKTRACK()                                                                           \
  if (own->has & PSARTOR_CALLS_OUT)                                                                \
  mb->cb->callout_flags |= PCRE2_CALLOUT_BACKTRACK

/* Functions get the frame in memory and the parts of the match block that they read. */
#define do_callout(frame, block, lengthptr)                                                        \
  ({                                                                                               \
    PCRE2_SIZE length_;                                                                            \
    match_block block_;                                                                            \
    WRITE_FRAME();                                                                                 \
    block_.callout = mb->callout;                                                                  \
    block_.callout_data = mb->callout_data;                                                        \
    block_.cb = mb->cb;                                                                            \
    block_.nomatch_mark = mb->nomatch_mark;                                                        \
    block_.start_subject = mb->start_subject;                                                      \
    const int result_ = (do_callout)(HERE, &block_, &length_);                                     \
    *(lengthptr) =                                                                                 \
        *Fecode == OP_CALLOUT ? PRIV(OP_lengths)[OP_CALLOUT] : GET(Fecode, 1 + 2 * LINK_SIZE);     \
    result_;                                                                                       \
  })
#define match_ref(offset, caseless, frame, block, lengthptr)                                       \
  ({                                                                                               \
    PCRE2_SIZE length_ = 0;                                                                        \
    match_block block_;                                                                            \
    HERE->eptr = F->eptr;                                                                          \
    HERE->offset_top = F->offset_top;                                                              \
    block_.poptions = mb->poptions;                                                                \
    block_.partial = mb->partial;                                                                  \
    block_.lcc = mb->lcc;                                                                          \
    block_.start_subject = mb->start_subject;                                                      \
    block_.end_subject = mb->end_subject;                                                          \
    const int result_ = (match_ref)(offset, caseless, HERE, &block_, &length_);                    \
    if (result_ == 0)                                                                              \
      *(lengthptr) = length_;                                                                      \
    result_;                                                                                       \
  })
/* Other functions write the length of a newline, so they get a local copy of it. */
#undef IS_NEWLINE
#undef WAS_NEWLINE
#define IS_NEWLINE(p) psartor_is_newline(p, mb, utf)
#define WAS_NEWLINE(p) psartor_was_newline(p, mb, utf)
ALWAYS BOOL psartor_is_newline(PCRE2_SPTR p, match_block *mb, BOOL utf) {
  if (mb->nltype == NLTYPE_FIXED)
    return p <= mb->end_subject - mb->nllen && p[0] == mb->nl[0] &&
           (mb->nllen == 1 || p[1] == mb->nl[1]);
  uint32_t length = mb->nllen;
  const BOOL is =
      p < mb->end_subject && PRIV(is_newline)(p, mb->nltype, mb->end_subject, &length, utf);
  mb->nllen = length;
  return is;
}
ALWAYS BOOL psartor_was_newline(PCRE2_SPTR p, match_block *mb, BOOL utf) {
  if (mb->nltype == NLTYPE_FIXED)
    return p >= mb->start_subject + mb->nllen && *(p - mb->nllen) == mb->nl[0] &&
           (mb->nllen == 1 || *(p - mb->nllen + 1) == mb->nl[1]);
  uint32_t length = mb->nllen;
  const BOOL was =
      p > mb->start_subject && PRIV(was_newline)(p, mb->nltype, mb->start_subject, &length, utf);
  mb->nllen = length;
  return was;
}

#endif
