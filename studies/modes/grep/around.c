/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What searching for a fixed string needs of the rest of grep, once for each build of it. */
#include <config.h>

#include "search.h"

#include "../modes.h"

struct localeinfo localeinfo;
bool match_icase, match_words, match_lines;
char eolbyte = '\n';

/* Regular expressions are not searched for: nobody makes one of a string that is not bounded by
 * words. */
void fgrep_to_grep_pattern(char **pattern, idx_t *size) { abort(); }
void *GEAcompile(char *pattern, idx_t size, reg_syntax_t syntax, bool exact) { abort(); }
ptrdiff_t EGexecute(void *pattern, char const *buffer, idx_t size, idx_t *match_size,
                    char const *start) {
  abort();
}

void xalloc_die(void) { abort(); }
static void *some(void *memory) {
  if (!memory)
    xalloc_die();
  return memory;
}
void *xmalloc(size_t bytes) { return some(malloc(bytes)); }
void *ximalloc(idx_t bytes) { return some(malloc((size_t)bytes)); }
void *xpalloc(void *memory, idx_t *items, idx_t more, ptrdiff_t most, idx_t item_bytes) {
  *items += *items / 2 + more;
  return some(realloc(memory, (size_t)(*items * item_bytes)));
}

void MODES_NAME(locale_changes)(void) {
  init_localeinfo(&localeinfo);
  wordinit();
}

void *MODES_NAME(pattern)(const char *word, int as_word) {
  match_words = as_word;
  const size_t size = strlen(word);
  char *pattern = xmalloc(size + 1);
  memcpy(pattern, word, size);
  pattern[size] = '\n';
  return Fcompile(pattern, (idx_t)size, 0, false);
}

struct modes_memory MODES_NAME(multibyte)(void) {
  return (struct modes_memory){&localeinfo, sizeof localeinfo, &localeinfo.multibyte,
                               sizeof localeinfo.multibyte};
}

struct modes_memory MODES_NAME(utf8)(void) {
  return (struct modes_memory){&localeinfo, sizeof localeinfo, &localeinfo.using_utf8,
                               sizeof localeinfo.using_utf8};
}
