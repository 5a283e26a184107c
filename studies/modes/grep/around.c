/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of grep that searching for a fixed string needs, compiled once for each build. */
#include <config.h>

#include "search.h"

#include "../modes.h"

struct localeinfo localeinfo;
bool match_icase, match_words, match_lines;
char eolbyte = '\n';

/* grep compiles a regular expression if a longer word begins with the searched one, which does
 * not happen here. */
void fgrep_to_grep_pattern(char **, idx_t *) { abort(); }
void *GEAcompile(char *, idx_t, reg_syntax_t, bool) { abort(); }
ptrdiff_t EGexecute(void *, char const *, idx_t, idx_t *, char const *) { abort(); }

void xalloc_die(void) { abort(); }
static void *some(void *memory) {
  if (!memory)
    xalloc_die();
  return memory;
}
void *xmalloc(size_t bytes) { return some(malloc(bytes)); }
void *ximalloc(idx_t bytes) { return some(malloc((size_t)bytes)); }
void *xpalloc(void *memory, idx_t *items, idx_t more, ptrdiff_t, idx_t item_bytes) {
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
  memcpy(pattern, word, size + 1);
  pattern[size] = '\n';
  return Fcompile(pattern, (idx_t)size, 0, false);
}

struct ModesMemory MODES_NAME(multibyte)(void) {
  return (struct ModesMemory){&localeinfo, sizeof localeinfo, &localeinfo.multibyte,
                              sizeof localeinfo.multibyte};
}

struct ModesMemory MODES_NAME(utf8)(void) {
  return (struct ModesMemory){&localeinfo, sizeof localeinfo, &localeinfo.using_utf8,
                              sizeof localeinfo.using_utf8};
}
