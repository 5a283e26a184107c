/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* On all of these machines, integers and floating-point numbers are passed in separate registers.
 * So a function can be called as one that takes words, up to the maximum number of words, and then
 * floating-point numbers for all such registers: it reads only the registers of its own parameters.
 */
#include "device/call.h"

#include <string.h>

#include "base/contain.h"
#include "device/bytes.h"

/* The calling conventions: AAPCS64 6.8.2, AAPCS32 6.5 and 7.1.2 (VFP), RISC-V's ELF psABI 2.1,
 * System V's for x86-64 3.2.3. */
#if defined(__arm__)
typedef uint32_t word;
enum { word_registers = 4, stack_words = 12 };
#elif defined(__x86_64__)
typedef uint64_t word;
enum { word_registers = 6, stack_words = 0 };
#else
typedef uint64_t word;
enum { word_registers = 8, stack_words = 0 };
#endif

enum { most_words = word_registers + stack_words, most_reals = 8 };

struct arguments {
  word words[most_words];
  size_t word_count;
  double reals[most_reals];
  size_t real_count; /* On ARM, in halves. */
};

#if defined(__arm__)
#define WORD_TYPES                                                                                 \
  word, word, word, word, word, word, word, word, word, word, word, word, word, word, word, word
#define WORDS(w)                                                                                   \
  w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14],   \
      w[15]
#elif defined(__x86_64__)
#define WORD_TYPES word, word, word, word, word, word
#define WORDS(w) w[0], w[1], w[2], w[3], w[4], w[5]
#else
#define WORD_TYPES word, word, word, word, word, word, word, word
#define WORDS(w) w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]
#endif
#define REAL_TYPES double, double, double, double, double, double, double, double
#define REALS(r) r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]

static int is_real(unsigned type) { return type == SARTOR_SCALAR_F32 || type == SARTOR_SCALAR_F64; }

/* Extends a value as the callee's declaration says, or as the register holds it. */
static uint64_t extended(unsigned type, uint64_t bits) {
  switch (type) {
  case SARTOR_SCALAR_U8:
    return (uint8_t)bits;
  case SARTOR_SCALAR_S8:
    return (uint64_t)(int8_t)bits;
  case SARTOR_SCALAR_U16:
    return (uint16_t)bits;
  case SARTOR_SCALAR_S16:
    return (uint64_t)(int16_t)bits;
  case SARTOR_SCALAR_U32:
#if defined(__riscv) /* registers hold all 32-bit numbers sign-extended */
    return (uint64_t)(int32_t)bits;
#else
    return (uint32_t)bits;
#endif
  case SARTOR_SCALAR_S32:
    return (uint64_t)(int32_t)bits;
  default:
    return bits;
  }
}

static int add_word(struct arguments *arguments, unsigned type, uint64_t bits) {
#if defined(__arm__)
  if (type == SARTOR_SCALAR_U64) { /* in an even pair */
    arguments->word_count += arguments->word_count & 1;
    if (arguments->word_count + 2 > most_words)
      return 0;
    arguments->words[arguments->word_count++] = (word)bits;
    arguments->words[arguments->word_count++] = (word)(bits >> 32);
    return 1;
  }
#endif
  if (arguments->word_count == most_words)
    return 0;
  arguments->words[arguments->word_count++] = (word)extended(type, bits);
  return 1;
}

static int add_real(struct arguments *arguments, unsigned type, uint64_t bits) {
#if defined(__arm__)
  /* Singles fill the halves that doubles have left; none is left if doubles come after pairs. */
  const size_t width = type == SARTOR_SCALAR_F64 ? 2 : 1;
  size_t at = arguments->real_count;
  if (width == 2)
    at += at & 1;
  if (at + width > 2 * most_reals || at != arguments->real_count)
    return 0; /* a half would be left for a later single */
  memcpy((char *)arguments->reals + 4 * at, &bits, 4 * width);
  arguments->real_count = at + width;
  return 1;
#else
  if (arguments->real_count == most_reals)
    return 0;
#if defined(__riscv)
  if (type == SARTOR_SCALAR_F32) /* boxed as a NaN, as in the psABI */
    bits |= 0xffffffff00000000u;
#else
  (void)type;
#endif
  memcpy(&arguments->reals[arguments->real_count++], &bits, sizeof bits);
  return 1;
#endif
}

/* A prepared call. */
struct call {
  uintptr_t function;
  unsigned result;
  struct arguments arguments;
};

static uint64_t make(void *context) {
  const struct call *call = context;
  const struct arguments *arguments = &call->arguments;
  const uintptr_t function = call->function;
  const unsigned result = call->result;
  const word *w = arguments->words;
  const double *r = arguments->reals;
  uint64_t bits = 0;
  if (result == SARTOR_SCALAR_F64) {
    const double real = ((double (*)(WORD_TYPES, REAL_TYPES))function)(WORDS(w), REALS(r));
    memcpy(&bits, &real, sizeof real);
  } else if (result == SARTOR_SCALAR_F32) {
    const float real = ((float (*)(WORD_TYPES, REAL_TYPES))function)(WORDS(w), REALS(r));
    memcpy(&bits, &real, sizeof real);
  } else {
    bits = ((uint64_t (*)(WORD_TYPES, REAL_TYPES))function)(WORDS(w), REALS(r));
  }
  return bits;
}

/* Returns the bits that the type of a narrow result, or an address, has. */
static uint64_t narrowed(unsigned type, uint64_t bits) {
  switch (type) {
  case SARTOR_SCALAR_U8:
  case SARTOR_SCALAR_S8:
    return (uint8_t)bits;
  case SARTOR_SCALAR_U16:
  case SARTOR_SCALAR_S16:
    return (uint16_t)bits;
  case SARTOR_SCALAR_U32:
  case SARTOR_SCALAR_S32:
  case SARTOR_SCALAR_F32:
    return (uint32_t)bits;
  case SARTOR_SCALAR_POINTER:
    return (uintptr_t)bits;
  default:
    return bits;
  }
}

int sartor_call(uintptr_t function, unsigned result, const unsigned char *types,
                const unsigned char *bits, size_t count, uint64_t *result_bits) {
  struct call call;
  memset(&call, 0, sizeof call);
  call.function = function;
  call.result = result;
  if (result > SARTOR_SCALAR_F64)
    return SARTOR_CONTAIN_LOST;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t each = sartor_number_at(bits + 8 * i, 8);
    if (types[i] > SARTOR_SCALAR_F64 ||
        !(is_real(types[i]) ? add_real : add_word)(&call.arguments, types[i], each))
      return SARTOR_CONTAIN_LOST;
  }
  uint64_t returned = 0;
  const int outcome = sartor_contain(make, &call, &returned);
  if (outcome == 0)
    *result_bits = narrowed(result, returned);
  return outcome;
}
