/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Checks that the handler makes before it starts: whether the first instructions of a new frame
 * match the subject, and where a match may begin at all. Included by psartor_frame.h. */

/* An instruction's condition on the next character, for the instructions handled here: the item
 * that states it, and whether a character that does not match counts as inspected. */
typedef struct {
  PCRE2_SPTR what;
  BOOL is_noted;
} psartor_Wanted;

ALWAYS BOOL psartor_wants(PCRE2_SPTR code, const match_block *mb, psartor_Wanted *wanted) {
  wanted->what = code;
  wanted->is_noted = TRUE;
  switch (*code) {
  case OP_CHARI:
    wanted->is_noted = FALSE;
    return !(mb->poptions & PCRE2_UCP);
  case OP_CLASS:
  case OP_NCLASS:
    switch (code[1 + 32]) {
    case OP_CRSTAR:
    case OP_CRMINSTAR:
    case OP_CRPOSSTAR:
    case OP_CRQUERY:
    case OP_CRMINQUERY:
    case OP_CRPOSQUERY:
      return FALSE;
    case OP_CRRANGE:
    case OP_CRMINRANGE:
    case OP_CRPOSRANGE:
      return GET2(code, 1 + 32 + 1) != 0;
    default:
      return TRUE;
    }
  case OP_TYPEPLUS:
  case OP_TYPEMINPLUS:
  case OP_TYPEPOSPLUS:
    wanted->what += 1;
    wanted->is_noted = FALSE;
    break;
  case OP_TYPEEXACT:
    wanted->what += 1 + IMM2_SIZE;
    wanted->is_noted = FALSE;
    break;
  case OP_CHAR:
    return TRUE;
  default:
    break;
  }
  return *wanted->what >= OP_NOT_DIGIT && *wanted->what <= OP_WORDCHAR;
}

ALWAYS BOOL psartor_is_wanted(PCRE2_SPTR what, PCRE2_UCHAR c, const match_block *mb) {
  switch (*what) {
  case OP_CHAR:
    return what[1] == c;
  case OP_CHARI:
    return mb->lcc[what[1]] == mb->lcc[c];
  case OP_CLASS:
  case OP_NCLASS:
    return what[1 + c / 8] >> (c & 7) & 1;
  default: {
    const uint8_t of = *what <= OP_DIGIT        ? ctype_digit
                       : *what <= OP_WHITESPACE ? ctype_space
                                                : ctype_word;
    /* The negated opcode precedes the positive one. */
    return ((mb->ctypes[c] & of) != 0) == ((*what - OP_NOT_DIGIT) & 1);
  }
  }
}

/* Returns whether the instruction at which a new frame would begin requires a character that is
 * not next. Then no frame is begun, with the same effects as if it had been: it counts as a
 * call, and its character as inspected. Frames handle limits that would be reached, and the
 * subject's end. */
ALWAYS BOOL psartor_fails_at_once(const psartor_Program *own, PCRE2_SPTR code,
                                  const psartor_Frame *frame, const heapframe *here,
                                  const heapframe *top, PCRE2_SIZE frame_size, match_block *mb) {
  psartor_Wanted wanted;
  PCRE2_SPTR at = frame->eptr;
  if (own->has & (PSARTOR_RECURSES | PSARTOR_CALLS_OUT))
    return FALSE;
  if (code == own->searched) { /* the first one matches; the second one may not */
    if (*code != OP_CHAR)
      return FALSE;
    code += 2;
    ++at;
  } else if (*code == OP_KET) { /* inspects no character */
    const PCRE2_UCHAR group = *(code - GET(code, 1));
    if (group == OP_BRA || group == OP_CBRA)
      code += 1 + LINK_SIZE;
  } else if (*code == OP_REVERSE) {
    const ptrdiff_t back = (ptrdiff_t)GET(code, 1);
    if (at - mb->start_subject < back)
      return FALSE;
    code += 1 + LINK_SIZE;
    at -= back;
  }
  if (!psartor_wants(code, mb, &wanted) || at >= mb->end_subject ||
      psartor_is_wanted(wanted.what, *at, mb) || mb->match_call_count >= mb->match_limit ||
      frame->rdepth + 1 >= mb->match_limit_depth ||
      (const char *)here + frame_size >= (const char *)top)
    return FALSE;
  mb->match_call_count++;
  if (at < mb->start_used_ptr)
    mb->start_used_ptr = at;
  if (at + wanted.is_noted > mb->last_used_ptr)
    mb->last_used_ptr = at + wanted.is_noted;
  return TRUE;
}

/* Finds the next position at which a match may begin: a whole vector of bytes at a time, after
 * the next byte itself. */
typedef uint8_t psartor_Bytes __attribute__((ext_vector_type(32)));
typedef _Bool psartor_Bits __attribute__((ext_vector_type(32)));
ALWAYS PCRE2_SPTR psartor_skip(const psartor_Program *own, const uint8_t *start_bits, PCRE2_SPTR at,
                               PCRE2_SPTR end) {
  if (own->ranges == 0 || end - at < (ptrdiff_t)sizeof(psartor_Bytes))
    return at;
  if (start_bits[*at / 8] >> (*at & 7) & 1)
    return at;
  for (; end - at >= (ptrdiff_t)sizeof(psartor_Bytes); at += sizeof(psartor_Bytes)) {
    psartor_Bytes bytes;
    memcpy(&bytes, at, sizeof bytes);
    psartor_Bits is = __builtin_convertvector((psartor_Bytes)(0), psartor_Bits);
    for (int i = 0; i < own->ranges; ++i)
      is |= __builtin_convertvector(
          bytes - own->range[i].first <= (psartor_Bytes)(own->range[i].beyond), psartor_Bits);
    uint32_t bits;
    memcpy(&bits, &is, sizeof bits);
    if (bits)
      return at + __builtin_ctz(bits);
  }
  return at;
}
