/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * random SEED PROGRAMS: random valid packet filter programs on random packets: the interpreter
 * and the specialized code must return the same number. Linked with libpcap's internals; run with
 * PCAP_SARTOR=heat=1,wait.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcap-int.h>

enum { MOST = 320, PACKETS = 400, LONGEST = 256 };

static uint64_t state;
static uint32_t draw(uint32_t below) { /* xorshift64* */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (uint32_t)((state * 0x2545f4914f6cdd1dULL) >> 33) % below;
}

static struct bpf_insn code[MOST];
static u_int length;
static u_char packets[PACKETS][LONGEST];
static u_int captured[PACKETS];
static u_int sent[PACKETS];

static void add(u_int operation, u_int jt, u_int jf, uint32_t k) {
  const struct bpf_insn made = {(u_short)operation, (u_char)jt, (u_char)jf, k};
  code[length++] = made;
}

static uint32_t any_number(void) {
  static const uint32_t odd[] = {0,          1,          255,        256,
                                 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
                                 0xfffffffc, 0xfffff02c, 0xfffff030, 0xffff};
  switch (draw(4)) {
  case 0:
    return odd[draw(sizeof odd / sizeof *odd)];
  case 1:
    return draw(1 << 30) * 4 + draw(4);
  default:
    return draw(300);
  }
}
/* Mostly within packets, so that programs do not end at once. */
static uint32_t any_offset(void) {
  return draw(40) ? draw(32) : draw(2) ? draw(LONGEST + 8) : any_number();
}

/* Counts down in scratch memory and jumps backward. */
static void add_loop(void) {
  add(BPF_LD | BPF_IMM, 0, 0, 1 + draw(6));
  add(BPF_ST, 0, 0, 3);
  add(BPF_LD | BPF_MEM, 0, 0, 3);
  add(BPF_ALU | BPF_SUB | BPF_K, 0, 0, 1);
  add(BPF_ST, 0, 0, 3);
  add(BPF_MISC | BPF_TAX, 0, 0, 0);
  add(BPF_LD | BPF_B | BPF_IND, 0, 0, draw(40));
  add(BPF_LDX | BPF_MEM, 0, 0, 3);
  add(BPF_LD | BPF_MEM, 0, 0, 3);
  add(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
  add(BPF_JMP | BPF_JA, 0, 0, (uint32_t)-9);
}

static void add_any(u_int end) {
  static const u_int sizes[] = {BPF_W, BPF_H, BPF_B};
  static const u_int arithmetic[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_MOD,
                                     BPF_AND, BPF_OR,  BPF_XOR, BPF_LSH, BPF_RSH};
  static const u_int comparisons[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
  const u_int left = end - length - 1; /* instructions that a jump may skip */
  const u_int operation = arithmetic[draw(10)];
  switch (draw(14)) {
  case 0:
  case 1:
    add(BPF_LD | sizes[draw(3)] | BPF_ABS, 0, 0, any_offset());
    break;
  case 2:
    add(BPF_LD | sizes[draw(3)] | BPF_IND, 0, 0, any_offset());
    break;
  case 3:
    add(draw(3) ? BPF_LDX | BPF_MSH | BPF_B : BPF_LDX | BPF_W | BPF_IMM, 0, 0, any_offset());
    break;
  case 4:
    if (draw(2))
      add(BPF_LD | BPF_W | (draw(2) ? BPF_LEN : BPF_IMM), 0, 0, any_number());
    else if (draw(12))
      add(BPF_LDX | BPF_W | BPF_IMM, 0, 0, any_offset());
    else
      add(BPF_LDX | BPF_W | BPF_LEN, 0, 0, 0);
    break;
  case 5:
    add((draw(8) ? BPF_LD : BPF_LDX) | BPF_W | BPF_MEM, 0, 0, draw(BPF_MEMWORDS));
    break;
  case 6:
    add(draw(2) ? BPF_ST : BPF_STX, 0, 0, draw(BPF_MEMWORDS));
    break;
  case 7:
    if (draw(12)) /* an index, as in typical filters */
      add(BPF_ALU | BPF_AND | BPF_K, 0, 0, 31);
    add(BPF_MISC | (draw(3) ? BPF_TAX : BPF_TXA), 0, 0, 0);
    break;
  case 8:
    add(draw(4) ? BPF_ALU | operation | BPF_X : BPF_ALU | BPF_NEG, 0, 0, 0);
    break;
  case 9:
  case 10: {
    uint32_t k = any_number();
    if (operation == BPF_LSH || operation == BPF_RSH)
      k = draw(20) ? k % 32 : k; /* some values that are undefined in C */
    else if ((operation == BPF_DIV || operation == BPF_MOD) && k == 0)
      k = 1;
    add(BPF_ALU | operation | BPF_K, 0, 0, k);
    break;
  }
  case 11:
    if (!draw(4))
      add(BPF_JMP | BPF_JA, 0, 0, draw(left < 8 ? left + 1 : 8));
    else if (!draw(12))
      add(BPF_RET | (draw(2) ? BPF_K : BPF_A), 0, 0, any_number());
    break;
  default:
    add(BPF_JMP | comparisons[draw(4)] | (draw(2) ? BPF_K : BPF_X), draw(left < 12 ? left + 1 : 12),
        draw(left < 12 ? left + 1 : 12), draw(3) ? draw(5) : any_number());
  }
}

static void make_program(void) {
  const u_int end =
      2 * BPF_MEMWORDS + 8 + (draw(10) ? draw(60) : draw(MOST - 2 * BPF_MEMWORDS - 8));
  length = 0;
  for (u_int word = 0; word < BPF_MEMWORDS; ++word) {
    if (!draw(3))
      add(BPF_LD | BPF_W | BPF_IMM, 0, 0, any_number());
    add(BPF_ST, 0, 0, word);
  }
  add(BPF_LDX | BPF_MSH | BPF_B, 0, 0, draw(32));
  add(BPF_LD | BPF_W | BPF_ABS, 0, 0, draw(32));
  const u_int begin = length;
  while (length + 1 < end) {
    /* A loop is one unit: no jump passes its end before it is complete. */
    if (length == begin && end - length > 16 && !draw(4))
      add_loop();
    else
      add_any(end - 1);
  }
  add(BPF_RET | (draw(3) ? BPF_A : BPF_K), 0, 0, any_number());
}

static void make_packets(void) {
  for (u_int i = 0; i < PACKETS; ++i) {
    captured[i] = draw(4) ? 64 + draw(LONGEST - 63) : draw(40);
    sent[i] = captured[i] + (draw(3) ? 0 : draw(1500));
    for (u_int byte = 0; byte < captured[i]; ++byte)
      packets[i][byte] = (u_char)(draw(3) ? draw(256) : draw(4));
  }
}

static int try_program(unsigned long number) {
  struct psartor filter = {0};
  const struct bpf_program program = {length, code};
  int failed = 0;
  if (!pcap_validate_filter(code, (int)length)) {
    printf("program %lu is not valid\n", number);
    return 1;
  }
  for (u_int i = 0; i < PACKETS && !failed; ++i) {
    const u_int expected = pcap_filter(code, packets[i], sent[i], captured[i]);
    psartor_filter(&filter, &program, packets[i], sent[i], captured[i]); /* specializes it */
    const u_int found = psartor_filter(&filter, &program, packets[i], sent[i], captured[i]);
    failed = found != expected;
    if (failed) {
      printf("program %lu, packet %u: %u interpreted, %u specialized\n", number, i, expected,
             found);
      for (u_int n = 0; n < length; ++n)
        printf("%s\n", bpf_image(&code[n], (int)n));
    }
  }
  psartor_release(&filter);
  return failed;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: random SEED PROGRAMS\n");
    return EXIT_FAILURE;
  }
  const unsigned long programs = strtoul(argv[2], NULL, 10);
  for (unsigned long number = 0; number < programs; ++number) {
    state = (strtoul(argv[1], NULL, 10) + number) * 0x9e3779b97f4a7c15ULL + 1;
    make_packets();
    make_program();
    if (try_program(number))
      return EXIT_FAILURE;
  }
  printf("%lu programs\n", programs);
  return EXIT_SUCCESS;
}
