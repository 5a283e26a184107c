/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** regex: lists the names of the patterns. regex NAME interpreter|jit RUNS: finds all matches of
 * a pattern in a fixed text RUNS times, and writes their number and a sum over all captures.
 * Then repeats this once for each line of input and writes the processor time in seconds. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pcre2.h"

static const struct {
  const char *name, *pattern;
  uint32_t options;
} patterns[] = {
    {"words", "error|warning|fatal|critical|panic", 0},
    {"caseless", "sherlock|watson|moriarty|lestrade", PCRE2_CASELESS},
    {"ipv4", "\\b(?:\\d{1,3}\\.){3}\\d{1,3}\\b", 0},
    {"email", "[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+", 0},
    {"url", "https?://([^\\s/\"]+)(/[^\\s\"]*)?", 0},
    {"date", "(\\d{4})-(\\d\\d)-(\\d\\d)[T ](\\d\\d):(\\d\\d):(\\d\\d)", 0},
    {"log",
     "^(\\S+) \\S+ (\\S+) \\[([^\\]]+)\\] \"([A-Z]+) ([^ \"]+) HTTP/[0-9.]+\" (\\d{3}) (\\d+|-)",
     PCRE2_MULTILINE},
    {"element", "<(\\w+)[^>]*>(.*?)</\\1>", 0},
    {"pair", "(\\w+)=(\"[^\"]*\"|\\S+)", 0},
    {"string", "\"(?:[^\"\\\\]|\\\\.)*\"", 0},
    {"twice", "\\b(\\w+)\\s+\\1\\b", 0},
    {"ahead", "\\b(?!the\\b|and\\b)\\w+(?=ing\\b)", 0},
    {"behind", "(?<=\\$)\\d+(?:\\.\\d\\d)?(?!\\d)", 0},
    {"line", "^.*(?:timeout|refused).*$", PCRE2_MULTILINE},
    {"uuid", "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", 0},
    {"number", "[-+]?(?:\\d+\\.\\d*|\\.?\\d+)(?:[eE][-+]?\\d+)?", 0},
};

/* The text */

static uint32_t seed = 12345;
static unsigned below(unsigned limit) {
  seed = seed * 1664525U + 1013904223U;
  return (unsigned)(((uint64_t)(seed >> 8) * limit) >> 24);
}

static const char *const words[] = {
    "the",    "and",     "a",      "running", "connection", "of",      "request", "handling",
    "server", "Watson",  "in",     "was",     "Sherlock",   "waiting", "buffer",  "string",
    "to",     "timeout", "packet", "warning", "that",       "error",   "thing",   "reading",
    "cache",  "is",      "it",     "morning", "value",      "king",    "refused", "light"};
enum { WORDS = sizeof words / sizeof *words };
static const char *word(void) { return words[below(WORDS)]; }

/* Some numbers and words, in order. */
static unsigned n[8];
static const char *w[6];
static void draw(unsigned limit) {
  for (int i = 0; i < 8; ++i)
    n[i] = below(limit);
  for (int i = 0; i < 6; ++i)
    w[i] = word();
}

static char *write_words(char *at, unsigned count) {
  while (count--) {
    const char *one = word();
    at += sprintf(at, "%s", one);
    if (below(20) == 0)
      at += sprintf(at, " %s", one);
    *at++ = count ? ' ' : '.';
  }
  return at;
}

static char *write_line(char *at) {
  static const char *const methods[] = {"GET", "POST", "PUT", "HEAD"};
  draw(65536);
  switch (below(8)) {
  case 0:
    at += sprintf(at, "%u.%u.%u.%u - user%u [10/Oct/2024:13:55:%02u +0000] \"%s /", n[0] % 256,
                  n[1] % 256, n[2] % 256, n[3] % 256, n[4] % 100, n[5] % 60, methods[n[6] % 4]);
    at += sprintf(at, "%s/%s?id=%u HTTP/1.%u\" %u %u", w[0], w[1], n[7] % 10000, n[0] % 2,
                  200 + 100 * (n[1] % 4), n[2]);
    break;
  case 1:
    at += sprintf(at, "2024-%02u-%02uT%02u:%02u:%02u level=info user=\"%s %s\" cost=$%u.%02u ",
                  1 + n[0] % 12, 1 + n[1] % 28, n[2] % 24, n[3] % 60, n[4] % 60, w[0], w[1],
                  n[5] % 1000, n[6] % 100);
    at = write_words(at, 4);
    break;
  case 2:
    at += sprintf(at, "see https://www.%s%u.example.com/%s/%s.html or mail %s.%s@%s.example.org ",
                  w[0], n[0] % 100, w[1], w[2], w[3], w[4], w[5]);
    at = write_words(at, 3);
    break;
  case 3:
    at += sprintf(at, "<p class=\"%s\">%s <b>%s %s</b> %s</p><i>%s</i>", w[0], w[1], w[2], w[3],
                  w[4], w[5]);
    break;
  case 4:
    at += sprintf(at, "id %08x-%04x-%04x-%04x-%08x%04x at 0x%x, %u.%ue-%u of %u ", n[0], n[1], n[2],
                  n[3], n[4], n[5], n[6], n[7] % 100, n[0] % 1000, n[1] % 10, n[2] % 1000);
    at = write_words(at, 2);
    break;
  case 5:
    at += sprintf(at, "printf(\"%s \\\"%s\\\" %%d\\n\", %s, \"%s\"); ", w[0], w[1], w[2], w[3]);
    break;
  default:
    at = write_words(at, 8 + below(10));
  }
  *at++ = '\n';
  return at;
}

enum { BYTES = 1 << 17 };
static char text[BYTES + 1024];
static size_t length;

/* Matching */

static void fail(const char *what, int error) {
  PCRE2_UCHAR message[200] = "";
  pcre2_get_error_message(error, message, sizeof message);
  fprintf(stderr, "regex: %s: %s\n", what, (const char *)message);
  exit(EXIT_FAILURE);
}

static void run(const pcre2_code *code, pcre2_match_data *data, unsigned long *matches,
                uint64_t *sum) {
  const PCRE2_SIZE *ovector = pcre2_get_ovector_pointer(data);
  size_t at = 0;
  *matches = 0;
  *sum = 0;
  for (;;) {
    const int rc = pcre2_match(code, (PCRE2_SPTR)text, length, at, 0, data, NULL);
    if (rc == PCRE2_ERROR_NOMATCH)
      return;
    if (rc < 0)
      fail("cannot match", rc);
    ++*matches;
    for (int i = 0; i < 2 * rc; ++i)
      *sum = (*sum ^ ovector[i]) * 0x100000001b3U;
    at = ovector[1] > ovector[0] ? ovector[1] : ovector[1] + 1;
  }
}

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  enum { COUNT = sizeof patterns / sizeof *patterns };
  if (argc == 1)
    for (int i = 0; i < COUNT; ++i)
      puts(patterns[i].name);
  if (argc != 4)
    return argc == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
  int which = 0;
  while (which < COUNT && strcmp(patterns[which].name, argv[1]) != 0)
    ++which;
  if (which == COUNT)
    return EXIT_FAILURE;
  char *end = text;
  while (end < text + BYTES)
    end = write_line(end);
  length = (size_t)(end - text);

  int error;
  PCRE2_SIZE where;
  pcre2_code *code = pcre2_compile((PCRE2_SPTR)patterns[which].pattern, PCRE2_ZERO_TERMINATED,
                                   patterns[which].options, &error, &where, NULL);
  if (!code)
    fail(patterns[which].pattern, error);
  if (!strcmp(argv[2], "jit") && (error = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE)) != 0)
    fail("no JIT", error);
  pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
  unsigned long matches = 0;
  uint64_t sum = 0;
  for (int i = atoi(argv[3]); i > 0; --i)
    run(code, data, &matches, &sum);
  printf("%lu matches, %016llx\n", matches, (unsigned long long)sum);
  fflush(stdout);
  char line[100];
  while (fgets(line, sizeof line, stdin)) {
    const double before = processor_time();
    run(code, data, &matches, &sum);
    printf("%.9f\n", processor_time() - before);
    fflush(stdout);
  }
  pcre2_match_data_free(data);
  pcre2_code_free(code);
  return EXIT_SUCCESS;
}
