/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that a handler interprets: what is hot, worth it, and given back. */
#include <sartor/programs.h>

#include <string.h>
#include <unistd.h>

#include "check.h"
#include "handlers/c_file.h"

typedef unsigned long (*c_file_reader)(unsigned long);

static struct CFile file = {0, 5};
static const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &file}},
                                            {SARTOR_ARGUMENT_UNBOUND, {0}}};
static const sartor_part parts[] = {{&file, sizeof file, &file.shared, sizeof file.shared}};
static const sartor_program_request request = {"read_c_file", arguments, 2, parts, 1, &file};

static int told[SARTOR_PROGRAM_LEFT_ALONE + 1];

static void tell(void *owner, enum sartor_program_state state, const char *text) {
  CHECK(owner == &file && text);
  ++told[state];
}

static void is_freed(void *object) { __atomic_store_n((int *)object, 1, __ATOMIC_RELEASE); }

static void wait_until(const int *flag) {
  for (int i = 0; i < 60000 && !__atomic_load_n(flag, __ATOMIC_ACQUIRE); ++i)
    usleep(1000);
  CHECK(__atomic_load_n(flag, __ATOMIC_ACQUIRE));
}

/* From the first use to the memory's. */
static void becomes_hot(sartor_runtime *runtime) {
  sartor_programs *programs = NULL;
  sartor_program program = {0};
  const sartor_program_limits limits = {.tell = tell};
  int freed = 0;
  REQUIRE(sartor_open_programs(runtime, &limits, &programs) == SARTOR_OK);
  CHECK(!sartor_count(&program, 2, 3) && sartor_count(&program, 1, 3));
  CHECK(sartor_state_of(&program) == SARTOR_PROGRAM_COUNTED && !sartor_function_of(&program));
  CHECK(sartor_ask_for(programs, &program, &request) == SARTOR_OK);
  for (int i = 0; i < 60000 && !sartor_function_of(&program); ++i)
    usleep(1000);
  CHECK(sartor_state_of(&program) == SARTOR_PROGRAM_READY && !sartor_why_not(&program));
  const c_file_reader read = (c_file_reader)sartor_function_of(&program);
  REQUIRE(read);
  file.shared = 6; /* against the promise: it is folded */
  CHECK(read(1) == 5);
  file.shared = 5;
  sartor_run run;
  CHECK((c_file_reader)sartor_begin_run(&program, &run) == read); /* nothing to measure */
  sartor_end_run(&run, 1);
  sartor_give_back(&program, is_freed, &freed);
  CHECK(sartor_state_of(&program) == SARTOR_PROGRAM_COUNTED);
  wait_until(&freed);
  CHECK(told[SARTOR_PROGRAM_READY] == 1 && told[SARTOR_PROGRAM_LEFT_ALONE] == 0);
  sartor_close_programs(programs);
}

/* Whichever way it turns out. */
static void is_measured(sartor_runtime *runtime) {
  sartor_programs *programs = NULL;
  sartor_program program = {0};
  const sartor_program_limits limits = {.measures = 1, .waits = 1};
  REQUIRE(sartor_open_programs(runtime, &limits, &programs) == SARTOR_OK);
  REQUIRE(sartor_ask_for(programs, &program, &request) == SARTOR_OK);
  CHECK(sartor_state_of(&program) == SARTOR_PROGRAM_MEASURED);
  long runs = 0;
  while (sartor_state_of(&program) == SARTOR_PROGRAM_MEASURED && ++runs < 200000000) {
    sartor_run run;
    const c_file_reader read = (c_file_reader)sartor_begin_run(&program, &run);
    CHECK((read ? read(1) : read_c_file(&file, 1)) == 5);
    sartor_end_run(&run, 1);
  }
  CHECK(sartor_state_of(&program) == SARTOR_PROGRAM_READY ||
        strstr(sartor_why_not(&program), "not worth it"));
  sartor_close_programs(programs); /* gives it back */
  CHECK(sartor_state_of(&program) == SARTOR_PROGRAM_COUNTED);
}

static void refuses(sartor_runtime *runtime) {
  sartor_programs *programs = NULL;
  sartor_program program = {0};
  int freed = 0;
  CHECK(sartor_open_programs(NULL, NULL, &programs) == SARTOR_ERROR_BAD_ARGUMENT && !programs);
  CHECK(sartor_open_programs(runtime, NULL, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  REQUIRE(sartor_open_programs(runtime, NULL, &programs) == SARTOR_OK);
  CHECK(sartor_ask_for(NULL, &program, &request) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_ask_for(programs, NULL, &request) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_ask_for(programs, &program, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  const sartor_program_request nameless = {.owner = &file};
  CHECK(sartor_ask_for(programs, &program, &nameless) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_state_of(&program) == SARTOR_PROGRAM_COUNTED);
  CHECK(!sartor_why_not(NULL) && !sartor_why_not(&program));
  sartor_program_request wrong = request;
  const sartor_part nothing = {&file, sizeof file, &file, 0};
  wrong.parts = &nothing;
  CHECK(sartor_ask_for(programs, &program, &wrong) == SARTOR_ERROR_BAD_INVARIANT);
  CHECK(sartor_state_of(&program) == SARTOR_PROGRAM_LEFT_ALONE);
  CHECK(sartor_why_not(&program) && strstr(sartor_why_not(&program), "bad_invariant"));
  sartor_give_back(&program, NULL, NULL);
  wrong = request;
  wrong.handler = "read_c_files";
  CHECK(sartor_ask_for(programs, &program, &wrong) == SARTOR_ERROR_UNKNOWN_HANDLER);
  CHECK(sartor_state_of(&program) == SARTOR_PROGRAM_LEFT_ALONE);
  sartor_give_back(&program, is_freed, &freed);
  wait_until(&freed);
  CHECK(sartor_leave_alone(programs, &program, "too short", &file) == SARTOR_OK);
  CHECK(sartor_why_not(&program) && !strcmp(sartor_why_not(&program), "too short"));
  CHECK(sartor_leave_alone(NULL, &program, "", NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_leave_alone(programs, NULL, "", NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_leave_alone(programs, &program, NULL, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  sartor_give_back(NULL, NULL, NULL);
  sartor_close_programs(programs);
  sartor_close_programs(NULL);
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
