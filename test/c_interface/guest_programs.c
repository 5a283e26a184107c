/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that a handler interprets: hot programs, programs worth specializing, and their
 * release. */
#include <sartor/c/guest_programs.h>

#include <string.h>
#include <unistd.h>

#include "check.h"
#include "handlers/c_file.h"

typedef unsigned long (*c_file_reader)(unsigned long);

static struct CFile file = {0, 5};
static const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &file}},
                                            {SARTOR_ARGUMENT_UNBOUND, {0}}};
static const sartor_part parts[] = {{&file, sizeof file, &file.shared, sizeof file.shared}};
static const sartor_guest_request request = {"read_c_file", arguments, 2, parts, 1, &file};

static int reported[SARTOR_GUEST_EXCLUDED + 1];

static void report(void *owner, enum sartor_guest_state state, const char *text) {
  CHECK(owner == &file && text);
  ++reported[state];
}

static void is_freed(void *object) { __atomic_store_n((int *)object, 1, __ATOMIC_RELEASE); }

static void wait_until(const int *flag) {
  for (int i = 0; i < 60000 && !__atomic_load_n(flag, __ATOMIC_ACQUIRE); ++i)
    usleep(1000);
  CHECK(__atomic_load_n(flag, __ATOMIC_ACQUIRE));
}

/* From the first use of a program to the end of its memory. */
static void becomes_hot(sartor_runtime *runtime) {
  sartor_guest_programs *programs = NULL;
  sartor_guest_program program = {0};
  const sartor_guest_limits limits = {.report = report};
  int freed = 0;
  REQUIRE(sartor_guest_programs_open(runtime, &limits, &programs) == SARTOR_OK);
  CHECK(!sartor_guest_count(&program, 2, 3) && sartor_guest_count(&program, 1, 3));
  CHECK(sartor_guest_state_of(&program) == SARTOR_GUEST_COUNTED &&
        !sartor_guest_function(&program));
  CHECK(sartor_guest_specialize(programs, &program, &request) == SARTOR_OK);
  for (int i = 0; i < 60000 && !sartor_guest_function(&program); ++i)
    usleep(1000);
  CHECK(sartor_guest_state_of(&program) == SARTOR_GUEST_READY && !sartor_guest_why_not(&program));
  const c_file_reader read = (c_file_reader)sartor_guest_function(&program);
  REQUIRE(read);
  file.shared = 6; /* violates the invariant: the old value has been folded */
  CHECK(read(1) == 5);
  file.shared = 5;
  sartor_guest_run run;
  CHECK((c_file_reader)sartor_guest_run_begin(&program, &run) == read); /* nothing to measure */
  sartor_guest_run_end(&run, 1);
  sartor_guest_release(&program, is_freed, &freed);
  CHECK(sartor_guest_state_of(&program) == SARTOR_GUEST_COUNTED);
  wait_until(&freed);
  CHECK(reported[SARTOR_GUEST_READY] == 1 && reported[SARTOR_GUEST_EXCLUDED] == 0);
  sartor_guest_programs_close(programs);
}

/* Either outcome of the measurement is accepted. */
static void is_measured(sartor_runtime *runtime) {
  sartor_guest_programs *programs = NULL;
  sartor_guest_program program = {0};
  const sartor_guest_limits limits = {.measures = 1, .waits = 1};
  REQUIRE(sartor_guest_programs_open(runtime, &limits, &programs) == SARTOR_OK);
  REQUIRE(sartor_guest_specialize(programs, &program, &request) == SARTOR_OK);
  CHECK(sartor_guest_state_of(&program) == SARTOR_GUEST_MEASURED);
  long runs = 0;
  while (sartor_guest_state_of(&program) == SARTOR_GUEST_MEASURED && ++runs < 200000000) {
    sartor_guest_run run;
    const c_file_reader read = (c_file_reader)sartor_guest_run_begin(&program, &run);
    CHECK((read ? read(1) : read_c_file(&file, 1)) == 5);
    sartor_guest_run_end(&run, 1);
  }
  CHECK(sartor_guest_state_of(&program) == SARTOR_GUEST_READY ||
        strstr(sartor_guest_why_not(&program), "not worth it"));
  sartor_guest_programs_close(programs); /* releases it */
  CHECK(sartor_guest_state_of(&program) == SARTOR_GUEST_COUNTED);
}

static void refuses(sartor_runtime *runtime) {
  sartor_guest_programs *programs = NULL;
  sartor_guest_program program = {0};
  int freed = 0;
  CHECK(sartor_guest_programs_open(NULL, NULL, &programs) == SARTOR_ERROR_BAD_ARGUMENT &&
        !programs);
  CHECK(sartor_guest_programs_open(runtime, NULL, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  REQUIRE(sartor_guest_programs_open(runtime, NULL, &programs) == SARTOR_OK);
  CHECK(sartor_guest_specialize(NULL, &program, &request) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_guest_specialize(programs, NULL, &request) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_guest_specialize(programs, &program, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  const sartor_guest_request nameless = {.owner = &file};
  CHECK(sartor_guest_specialize(programs, &program, &nameless) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_guest_state_of(&program) == SARTOR_GUEST_COUNTED);
  CHECK(!sartor_guest_why_not(NULL) && !sartor_guest_why_not(&program));
  sartor_guest_request wrong = request;
  const sartor_part nothing = {&file, sizeof file, &file, 0};
  wrong.parts = &nothing;
  CHECK(sartor_guest_specialize(programs, &program, &wrong) == SARTOR_ERROR_BAD_INVARIANT);
  CHECK(sartor_guest_state_of(&program) == SARTOR_GUEST_EXCLUDED);
  CHECK(sartor_guest_why_not(&program) && strstr(sartor_guest_why_not(&program), "bad_invariant"));
  sartor_guest_release(&program, NULL, NULL);
  wrong = request;
  wrong.handler = "read_c_files";
  CHECK(sartor_guest_specialize(programs, &program, &wrong) == SARTOR_ERROR_UNKNOWN_HANDLER);
  CHECK(sartor_guest_state_of(&program) == SARTOR_GUEST_EXCLUDED);
  sartor_guest_release(&program, is_freed, &freed);
  wait_until(&freed);
  CHECK(sartor_guest_exclude(programs, &program, "too short", &file) == SARTOR_OK);
  CHECK(sartor_guest_why_not(&program) && !strcmp(sartor_guest_why_not(&program), "too short"));
  CHECK(sartor_guest_exclude(NULL, &program, "", NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_guest_exclude(programs, NULL, "", NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_guest_exclude(programs, &program, NULL, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  sartor_guest_release(NULL, NULL, NULL);
  sartor_guest_programs_close(programs);
  sartor_guest_programs_close(NULL);
}

int main(void) {
  sartor_runtime *runtime = NULL;
  REQUIRE(sartor_open(&runtime) == SARTOR_OK);
  becomes_hot(runtime);
  is_measured(runtime);
  refuses(runtime);
  sartor_close(runtime);
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
