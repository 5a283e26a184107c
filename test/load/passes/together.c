#include <sartor/loader/pass.h>

#include <stdio.h>
#include <string.h>

/** Copies the functions of a library that have a name; there may be several versions. */
static void copy(sartor_prelink_image *image, const sartor_prelink_operations *operations,
                 const char *name, size_t library) {
  sartor_library about;
  sartor_library_symbol symbol;
  if (operations->library(image, library, &about) != 0)
    return;
  for (size_t i = 0; i < about.symbols; ++i) {
    if (operations->symbol(image, library, i, &symbol) != 0 || !symbol.is_defined ||
        symbol.type != STT_FUNC || strcmp(symbol.name, name) != 0)
      continue;
    char line[5000];
    const char *why = operations->copy(image, library, symbol.address);
    snprintf(line, sizeof line, "%s of %s: %s", name, about.path, why ? why : "copied");
    operations->report(image, line);
  }
}

static const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  const char *name;
  for (size_t i = 0; (name = operations->option_name(image, i)) != NULL; ++i)
    for (size_t library = 0; library < operations->libraries(image); ++library)
      copy(image, operations, name, library);
  return NULL;
}

static const char *const needs[] = {"concat", NULL};

const struct sartor_pass sartor_pass = {
    .abi = SARTOR_PASS_ABI,
    .name = "together",
    .needs = needs,
    .run = run,
};
