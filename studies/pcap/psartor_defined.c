/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Finds programs whose results are defined. pcap_validate_filter() accepts more: the
 * interpreter then does what the processor does, while a compiler that sees the program may
 * assume anything. */
#include "psartor.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int is_shift_by_too_much(const struct bpf_insn *i) {
  return (i->code == (BPF_ALU | BPF_LSH | BPF_K) || i->code == (BPF_ALU | BPF_RSH | BPF_K)) &&
         i->k >= 32;
}

/* The index of the scratch memory word that an instruction reads or writes, or -1. */
static int word_read(const struct bpf_insn *i) {
  return i->code == (BPF_LD | BPF_MEM) || i->code == (BPF_LDX | BPF_MEM) ? (int)i->k : -1;
}
static int word_written(const struct bpf_insn *i) {
  return i->code == BPF_ST || i->code == BPF_STX ? (int)i->k : -1;
}

/* The two possible successors of an instruction, which may be equal; the program's end stands
 * for none. */
static void find_next(const struct bpf_program *program, u_int at, u_int next[2]) {
  const struct bpf_insn *i = &program->bf_insns[at];
  next[0] = next[1] = at + 1;
  if (BPF_CLASS(i->code) == BPF_RET)
    next[0] = next[1] = program->bf_len;
  else if (i->code == (BPF_JMP | BPF_JA))
    next[0] = next[1] = at + 1 + i->k; /* also backwards: the sum wraps around */
  else if (BPF_CLASS(i->code) == BPF_JMP) {
    next[0] += i->jt;
    next[1] += i->jf;
  }
}

/* Returns whether each word of scratch memory is written on every path before it is read.
 * `written` has the set of written words for each instruction. */
static int reads_what_was_written(const struct bpf_program *program, uint16_t *written) {
  int changes = 1;
  int reads_other = 0;
  memset(written, 0xff, program->bf_len * sizeof *written);
  written[0] = 0;
  while (changes) {
    changes = reads_other = 0;
    for (u_int at = 0; at < program->bf_len; ++at) {
      const struct bpf_insn *i = &program->bf_insns[at];
      uint16_t now = written[at];
      u_int next[2];
      if (word_read(i) >= 0 && !(now >> word_read(i) & 1))
        reads_other = 1;
      if (word_written(i) >= 0)
        now = (uint16_t)(now | 1U << word_written(i));
      find_next(program, at, next);
      for (int way = 0; way < 2; ++way)
        if (next[way] < program->bf_len && (written[next[way]] & ~now)) {
          written[next[way]] &= now;
          changes = 1;
        }
    }
  }
  return !reads_other;
}

const char *psartor_undefined(const struct bpf_program *program) {
  for (u_int at = 0; at < program->bf_len; ++at)
    if (is_shift_by_too_much(&program->bf_insns[at]))
      return "it shifts by more than 31 bits";
  uint16_t *written = malloc(program->bf_len * sizeof *written);
  if (!written)
    return "there is no memory";
  const int is_defined = reads_what_was_written(program, written);
  free(written);
  return is_defined ? NULL : "it reads scratch memory that it may not have written";
}
