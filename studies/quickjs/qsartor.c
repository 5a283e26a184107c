/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Requests variants of hot functions. The variable QUICKJS_SARTOR is `off` or options: `heat=N`
 * calls until a function is hot, `functions=N` variants at most, `wait` for each, `report` about
 * each. */
#include "qsartor.h"

#include <limits.h>
#include <pthread.h>
#include <sartor/c/guest_programs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int qsartor_heat = INT_MAX; /* off, for any number of calls */
static int most = 1000;
static int waits, reports;
static pthread_once_t has_begun = PTHREAD_ONCE_INIT; /* workers are threads */
static sartor_guest_programs *programs;              /* null: no compiler */

__attribute__((constructor)) static void read_environment(void) {
  const char *text = getenv("QUICKJS_SARTOR");
  const char *all = getenv("SARTOR");
  if ((all && !strcmp(all, "off")) || (text && !strcmp(text, "off")))
    return;
  qsartor_heat = 1000;
  for (const char *word = text; word && *word; word += strcspn(word, ","), word += *word == ',') {
    if (sscanf(word, "heat=%d", &qsartor_heat) == 1 || sscanf(word, "functions=%d", &most) == 1)
      continue;
    if (!strncmp(word, "wait", 4))
      waits = 1;
    else if (!strncmp(word, "report", 6))
      reports = 1;
    else
      fprintf(stderr, "qjs: QUICKJS_SARTOR: \"%s\": write off, heat=N, functions=N, wait, report\n",
              word);
  }
  if (most < 1) /* which guest programs take as their default */
    qsartor_heat = INT_MAX;
}

static void report(void *function, enum sartor_guest_state state, const char *text) {
  if (reports)
    fprintf(stderr, "qjs: function %p: %s%s\n", function,
            state == SARTOR_GUEST_READY ? "has a variant" : "stays interpreted: ",
            state == SARTOR_GUEST_READY ? "" : text);
}

static void begin(void) {
  const sartor_guest_limits limits = {
      .most = (size_t)most, .waits = waits, .in_part = 1, .report = report};
  sartor_runtime *runtime;
  if (!sartor_open_with("{\"quick_tier\": false, \"compile_timeout\": 300}", &runtime) &&
      !sartor_guest_programs_open(runtime, &limits, &programs))
    sartor_limit_bindings(runtime, "qsartor_run", INT_MAX, NULL, 0); /* `functions` is the limit */
  else
    fprintf(stderr, "qjs: no function is specialized: %s\n", sartor_last_error());
}

qsartor_Run *qsartor_find(sartor_guest_program *hot, struct JSFunctionBytecode *function,
                          size_t bytes, const qsartor_Part *parts, int count, int *heat) {
  if (qsartor_heat != INT_MAX)
    pthread_once(&has_begun, begin);
  if (!programs) {
    *heat = INT_MIN;
    return NULL;
  }
  if (sartor_guest_state_of(hot) == SARTOR_GUEST_COUNTED) {
    sartor_argument own[8] = {{SARTOR_ARGUMENT_POINTER, {.pointer = function}}};
    sartor_part invariant[8];
    size_t used = 0;
    for (int n = 1; n < 8; ++n)
      own[n].kind = SARTOR_ARGUMENT_UNBOUND;
    for (int n = 0; n < count; ++n)
      if (parts[n].bytes)
        invariant[used++] = (sartor_part){function, bytes, parts[n].memory, parts[n].bytes};
    const sartor_guest_request request = {"qsartor_run", own, 8, invariant, used, function};
    sartor_guest_specialize(programs, hot, &request);
  }
  qsartor_Run *run = (qsartor_Run *)sartor_guest_function(hot);
  if (run)
    *heat = INT_MAX;
  else if (sartor_guest_state_of(hot) == SARTOR_GUEST_EXCLUDED)
    *heat = INT_MIN;
  else
    *heat = waits ? qsartor_heat : qsartor_heat - qsartor_heat / 8; /* look again soon */
  return run;
}

void qsartor_free(sartor_guest_program *hot) { sartor_guest_release(hot, NULL, NULL); }
