/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The handler: pcre2_match.c once more. Where that has its frame in memory, this has it in local
 * variables (psartor_frame.h), and the match block, too: of what is the pattern's there, the
 * program says what it is.
 */
#define PSARTOR_VARIANT
#define PSARTOR_LEFT (-1000) /* no result of match() */

#include "pcre2_match.c"

SARTOR_HANDLER int psartor_match(PCRE2_SPTR start, pcre2_match_data *match_data, match_block *mb,
                                 const psartor_Program *own) {
  match_block known = *mb;
  known.lcc = own->tables + lcc_offset;
  known.fcc = own->tables + fcc_offset;
  known.ctypes = own->tables + ctypes_offset;
  known.hasthen = own->hasthen;
  known.allowemptypartial = own->allowemptypartial;
  known.bsr_convention = own->bsr_convention;
  known.name_count = own->name_count;
  known.name_entry_size = own->name_entry_size;
  known.name_table = own->name_table;
  known.start_code = own->start_code;
  known.poptions = own->poptions;
  known.nltype = own->nltype;
  if (own->nltype == NLTYPE_FIXED)
    known.nllen = own->nllen;
  known.nl[0] = own->nl[0];
  known.nl[1] = own->nl[1];

  psartor_Left left;
  const int result =
      psartor_match_as(own, mb, &left, start, own->start_code, own->top_bracket, own->frame_size,
                       match_data, &known);
  mb->match_call_count = known.match_call_count;
  mb->hitend = known.hitend;
  mb->end_offset_top = known.end_offset_top;
  mb->end_match_ptr = known.end_match_ptr;
  mb->start_used_ptr = known.start_used_ptr;
  mb->last_used_ptr = known.last_used_ptr;
  mb->mark = known.mark;
  mb->nomatch_mark = known.nomatch_mark;
  mb->verb_ecode_ptr = known.verb_ecode_ptr;
  mb->verb_skip_ptr = known.verb_skip_ptr;
  mb->verb_current_recurse = known.verb_current_recurse;
  mb->skip_arg_count = known.skip_arg_count;
  if (own->nltype != NLTYPE_FIXED)
    mb->nllen = known.nllen;
  return result == PSARTOR_LEFT ? psartor_go_on(&left, own, match_data, mb) : result;
}
