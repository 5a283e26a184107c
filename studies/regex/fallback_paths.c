/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Uses patterns in many ways: from several threads, in a child process, with limits, partially,
 * with callouts; copies and frees them while other threads use them. The output must not depend
 * on how they are matched. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcre2.h"

static pcre2_code *compile(const char *pattern, uint32_t options) {
  int error;
  PCRE2_SIZE where;
  pcre2_code *code =
      pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &error, &where, NULL);
  if (!code) {
    fprintf(stderr, "fallback_paths: %.50s: error %d\n", pattern, error);
    exit(EXIT_FAILURE);
  }
  return code;
}

/* Matches; adds the positions of the match and of all captures to `places`. */
static int match(const pcre2_code *code, const char *subject, uint32_t options,
                 pcre2_match_context *context, size_t *places) {
  pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
  const int rc =
      pcre2_match(code, (PCRE2_SPTR)subject, PCRE2_ZERO_TERMINATED, 0, options, data, context);
  const int pairs = rc == PCRE2_ERROR_PARTIAL ? 1 : rc;
  *places = 0;
  for (int i = 0; i < 2 * pairs; ++i)
    *places = *places * 31 + pcre2_get_ovector_pointer(data)[i];
  pcre2_match_data_free(data);
  return rc;
}

/* Matches often enough to become hot; all results must be equal. */
static void report(const char *what, const pcre2_code *code, const char *subject, uint32_t options,
                   pcre2_match_context *context) {
  size_t places;
  const int first = match(code, subject, options, context, &places);
  printf("%s: %d, %zu\n", what, first, places);
  for (int i = 0; i < 50; ++i) {
    size_t again;
    const int rc = match(code, subject, options, context, &again);
    if (rc != first || again != places)
      printf("%s, once more: %d, %zu\n", what, rc, again);
  }
}

static pcre2_code *shared;
static void *use_shared(void *sum) {
  static const char *const subjects[] = {"10.0.0.1 x", "300.1.2", "a 1.2.3.4.5", "", "999.9.9.9"};
  for (int i = 0; i < 20000; ++i) {
    size_t places;
    const int rc = match(shared, subjects[i % 5], 0, NULL, &places);
    *(long *)sum += rc > 0 ? (long)places : rc;
  }
  return NULL;
}

static void by_threads(void) {
  pthread_t threads[4];
  long sums[4] = {0};
  shared = compile("\\b(?:\\d{1,3}\\.){3}\\d{1,3}\\b", 0);
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, use_shared, &sums[i]);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  printf("threads: %ld %ld %ld %ld\n", sums[0], sums[1], sums[2], sums[3]);
}

/* Compiles patterns at the same addresses repeatedly, while variants of earlier ones may still
 * be compiled. */
static void by_short_lives(void) {
  long sum = 0;
  for (int i = 0; i < 300; ++i) {
    char pattern[40];
    snprintf(pattern, sizeof pattern, "(a|b%d)*c\\d{%d}", i % 7, i % 5);
    pcre2_code *code = compile(pattern, 0);
    for (int k = 0; k < 5; ++k) {
      size_t places;
      sum += match(code, "xab1ab2ac1234abc99", 0, NULL, &places) + (long)places * k;
    }
    pcre2_code_free(code);
  }
  printf("short lives: %ld\n", sum);
}

static void in_child(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    pcre2_code *code = compile("(\\w+)@(\\w+)\\.com", 0);
    report("child, the parent's", shared, "at 1.2.3.4", 0, NULL);
    report("child, its own", code, "to ann@example.com", 0, NULL);
    pcre2_code_free(code);
    pcre2_code_free(shared);
    fflush(stdout);
    _exit(7);
  }
  int status;
  waitpid(child, &status, 0);
  printf("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static int callouts;
static int count(pcre2_callout_block *block, void *unused) {
  (void)unused;
  callouts += (int)block->current_position + (int)block->callout_number;
  return block->current_position > 6 ? 1 : 0;
}

static void with_limits(void) {
  pcre2_match_context *context = pcre2_match_context_create(NULL);
  pcre2_code *slow = compile("(?:a+)+b", PCRE2_NO_AUTO_POSSESS | PCRE2_NO_START_OPTIMIZE);
  pcre2_set_match_limit(context, 1000);
  report("match limit", slow, "aaaaaaaaaaaaaaaaaaaaaaaaaaaac", 0, context);
  pcre2_set_match_limit(context, 10000000);
  pcre2_set_depth_limit(context, 5);
  report("depth limit", slow, "aaaaaaaaaaaaaaaaaac", 0, context);
  pcre2_set_depth_limit(context, 10000000);
  pcre2_set_heap_limit(context, 1);
  report("heap limit", slow, "aaaaaaaaaaaaaaaaaaaaaaaaaaac", 0, context);
  pcre2_set_heap_limit(context, 10000000);

  pcre2_code *calls = compile("(?C1)a(?C2)(\\w)*?(?C3)b", 0);
  pcre2_set_callout(context, count, NULL);
  report("callouts", calls, "aab axxb axb", 0, context);
  printf("callouts: %d\n", callouts);
  pcre2_code_free(calls);
  pcre2_code_free(slow);
  pcre2_match_context_free(context);
}

/* Matches at each limit just above or below the match's need. */
static void at_each_limit(const char *pattern, const char *subject, uint32_t options) {
  pcre2_match_context *context = pcre2_match_context_create(NULL);
  pcre2_code *code = compile(pattern, PCRE2_NO_START_OPTIMIZE | options);
  for (uint32_t limit = 1; limit < 60; ++limit) {
    pcre2_set_match_limit(context, limit);
    report("so many calls", code, subject, 0, context);
  }
  pcre2_set_match_limit(context, 10000000);
  for (uint32_t limit = 1; limit < 20; ++limit) {
    pcre2_set_depth_limit(context, limit);
    report("so deep", code, subject, 0, context);
  }
  pcre2_set_depth_limit(context, 10000000);
  char part[100];
  for (size_t length = strlen(subject); length > 0; --length) {
    snprintf(part, sizeof part, "%.*s", (int)length, subject);
    report("in part", code, part, PCRE2_PARTIAL_SOFT, context);
    report("in part at once", code, part, PCRE2_PARTIAL_HARD, context);
  }
  pcre2_code_free(code);
  pcre2_match_context_free(context);
}

/* Limits where most attempts fail at once: at characters, classes, types, and lookbehinds. */
static void at_limits(void) {
  at_each_limit("x(?:ab|cd|(e)|fg)*?z|.*?(y)z", "qxabcdefg, xabyz", 0);
  at_each_limit("x(?:ab|cd|(e)|fg)*?z|.*?(y)z", "qXaBcDEfg, xABYZ", PCRE2_CASELESS);
  at_each_limit("q(?:[ab]c|[^d]{2}|\\d\\w|\\S+ (e)|[f-h]*+[i-k]++|\\W{2}|\\D)*?(\\d)z",
                "qac12dd, gij7z", 0);
  at_each_limit("(?:\\w+?(?<=b|cd)(?<!ab)(?!\\s)\\w|(?<=\\d)[x-z]+)+;", "abcd1xy, b2;cdez;", 0);
}

/* Patterns that begin with one of few characters, with a certain one, or at a line start, at
 * each position. */
static void begins_anywhere(void) {
  static const char *const patterns[] = {"[0-9]x",     "[13579bdfhjlnprtvz]x|[^\\s#.]x",
                                         "(?i)[ijk]x", "^1x",
                                         "1x",         "(?:(a)|(1))((?(2)x|y))"};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i) {
    pcre2_code *code = compile(patterns[i], PCRE2_MULTILINE);
    char subject[100];
    for (size_t length = 2; length < 90; length += length < 70 ? 7 : 1)
      for (size_t at = 1; at < length; at += at < 60 ? 5 : 1) {
        memset(subject, '.', length);
        subject[length] = 0;
        subject[at - 1] = at % 2 ? '\n' : '#';
        subject[at] = i == 2 ? 'J' : '1';
        subject[at + 1 < length ? at + 1 : 0] = 'x';
        report("begins", code, subject, 0, NULL);
      }
    pcre2_code_free(code);
  }
}

int main(void) {
  by_threads();
  by_short_lives();
  in_child();
  with_limits();
  at_limits();
  begins_anywhere();

  pcre2_code *nested = compile("^(\\((?:[^()]|(?1))*\\))$", 0);
  report("recursion", nested, "(a(b)c(d(e)))", 0, NULL);
  report("recursion, none", nested, "(a(b)c(d(e))", 0, NULL);
  pcre2_code *date = compile("(?<=on )(\\d{4})-(\\d\\d)-(\\d\\d)(?! )", 0);
  report("in part", date, "on 2024-1", PCRE2_PARTIAL_SOFT, NULL);
  report("in part at once", date, "on 2024-11-1", PCRE2_PARTIAL_HARD, NULL);
  report("anchored", date, "2024-11-12", PCRE2_ANCHORED, NULL);
  report("bad option", date, "2024-11-12", 1U << 30, NULL);

  pcre2_code *copy = pcre2_code_copy(date);
  pcre2_code *other = pcre2_code_copy_with_tables(date);
  pcre2_code_free(date);
  report("a copy", copy, "on 2024-11-12", 0, NULL);
  report("with tables", other, "on 2024-11-12", 0, NULL);
  pcre2_code_free(other);

  const pcre2_code *codes[] = {copy, nested};
  pcre2_code *read[2];
  uint8_t *bytes;
  PCRE2_SIZE size;
  codes[1] = copy;
  if (pcre2_serialize_encode(codes, 2, &bytes, &size, NULL) == 2 &&
      pcre2_serialize_decode(read, 2, bytes, NULL) == 2) {
    report("read again", read[0], "on 2024-11-12", 0, NULL);
    pcre2_code_free(read[0]);
    report("read twice", read[1], "on 2024-11-12 ", 0, NULL);
    pcre2_code_free(read[1]);
  }
  pcre2_serialize_free(bytes);
  pcre2_code_free(copy);
  pcre2_code_free(nested);

  /* Too long to be compiled completely. */
  static char large[30000] = "(?:";
  size_t length = 3;
  for (int i = 0; i < 500; ++i)
    length += (size_t)snprintf(large + length, sizeof large - length, "%s[a-f%c]+x%d(y|z)",
                               i ? "|" : "", 'g' + i % 20, i);
  strcpy(large + length, ")");
  pcre2_code *huge = compile(large, 0);
  report("large", huge, "abcx77q abcx888z", 0, NULL);
  pcre2_code_free(huge);
  pcre2_code_free(shared);
  return EXIT_SUCCESS;
}
