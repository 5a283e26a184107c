/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C interface as used by a C program: each function, and the errors that it reports. */
#include <sartor/c/sartor.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

unsigned c_handler(unsigned x, unsigned mode);
struct Range {
  double from, to;
};
long steps(struct Range r, double width);

/* Values of sartor::ErrorCode, which are stable. */
enum {
  kUnknownLabel = 1,
  kValueOutsideChoices = 2,
  kNoHandlerModule = 7,
  kUnknownHandler = 11,
  kBadPipeline = 15,
  kBadJson = 20,
  kFileError = 21,
  kForbiddenConfiguration = 35,
  kBadConstraint = 36
};

typedef unsigned (*c_handler_type)(unsigned, unsigned);

static c_handler_type get_handler(sartor_runtime *runtime, const char *name) {
  void (*function)(void) = NULL;
  CHECK(sartor_handler(runtime, name, &function) == SARTOR_OK);
  CHECK(function != NULL);
  return (c_handler_type)function;
}

static void specializes(sartor_runtime *runtime) {
  c_handler_type call = get_handler(runtime, "c_handler");
  CHECK(call(7, 2) == 14);
  CHECK(sartor_specialize(runtime, "{\"c_mode\": {\"values\": [3], \"guard\": false}}") ==
        SARTOR_OK);
  CHECK(call(7, 2) == 21);
  CHECK(sartor_specialize(runtime, "{\"c_mode\": [2, 3]}") == SARTOR_OK);
  CHECK(call(7, 1) == 7);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
  CHECK(call(7, 2) == 14);
  CHECK(get_handler(runtime, "c_handler") == call);
}

static void reports_what_was_made(sartor_runtime *runtime) {
  char *json = NULL;
  CHECK(sartor_specialize_with_report(runtime, "{\"c_mode\": 3}", &json) == SARTOR_OK);
  CHECK(json && strstr(json, "\"name\":\"c_handler{c_mode=3}\"") != NULL);
  CHECK(json && strstr(json, "\"remarks\":[") != NULL && !strstr(json, "unused"));
  sartor_free(json);
  json = NULL;
  CHECK(sartor_specialize_with_report(runtime, "{\"c_mood\": 3}", &json) == kUnknownLabel);
  CHECK(json == NULL);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
}

static void takes_options(void) {
  sartor_runtime *runtime = NULL;
  CHECK(sartor_open_with("{\"compile_timeout\": 120, \"quick_tier\": false}", &runtime) ==
        SARTOR_OK);
  CHECK(sartor_specialize(runtime, "{\"c_mode\": 3}") == SARTOR_OK);
  sartor_close(runtime);
  runtime = NULL;
  CHECK(sartor_open_with("{\"compile_timeouts\": 120}", &runtime) == kBadJson);
  CHECK(strstr(sartor_last_error(), "did you mean \"compile_timeout\"") != NULL);
  CHECK(sartor_open_with("{\"compile_timeout\": \"long\"}", &runtime) == kBadJson);
  CHECK(sartor_open_with("120", &runtime) == kBadJson);
  CHECK(runtime == NULL);
}

static void specializes_in_the_background(sartor_runtime *runtime) {
  c_handler_type call = get_handler(runtime, "c_handler");
  CHECK(sartor_specialize_async(runtime, "{\"c_mode\": {\"values\": [3], \"guard\": false}}") ==
        SARTOR_OK);
  while (call(7, 2) != 21) {
  }
  CHECK(sartor_specialize_async(runtime, "{\"no_such_label\": 1}") == SARTOR_OK);
  CHECK(call(7, 2) == 21);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
}

static void reports_errors(sartor_runtime *runtime) {
  void (*function)(void) = NULL;
  c_handler_type call = get_handler(runtime, "c_handler");
  CHECK(sartor_specialize(runtime, "{\"c_mode\": {\"values\": [3], \"guard\": false}}") ==
        SARTOR_OK);
  CHECK(sartor_specialize(runtime, "{\"c_mood\": 1}") == kUnknownLabel);
  CHECK(strstr(sartor_last_error(), "did you mean \"c_mode\"") != NULL);
  CHECK(sartor_specialize(runtime, "{\"c_mode\": 9}") == kValueOutsideChoices);
  CHECK(strstr(sartor_last_error(), "choose among 1, 2, 3") != NULL);
  CHECK(sartor_specialize(runtime, "{\"c_mode\"") == kBadJson);
  CHECK(sartor_specialize_async(runtime, "[]") == kBadJson);
  CHECK(sartor_handler(runtime, "c_handle", &function) == kUnknownHandler);
  CHECK(function == NULL);
  CHECK(strstr(sartor_last_error(), "c_handler") != NULL);
  CHECK(sartor_customize_pipeline(runtime, "no-such-pass", NULL) == kBadPipeline);
  CHECK(strstr(sartor_last_error(), "no-such-pass") != NULL);
  CHECK(call(7, 2) == 21);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
}

static void customizes_the_pipeline(sartor_runtime *runtime, const char *plugin) {
  const char *plugins[] = {plugin, NULL};
  c_handler_type call = get_handler(runtime, "c_handler");
  CHECK(sartor_customize_pipeline(runtime, "default<O1>,function(test-answer)", plugins) ==
        SARTOR_OK);
  CHECK(sartor_specialize(runtime, "{\"c_mode\": 3}") == SARTOR_OK);
  CHECK(call(7, 3) == 21);
  CHECK(sartor_customize_pipeline(runtime, "", NULL) == SARTOR_OK);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
}

static void reports_the_points(sartor_runtime *runtime) {
  char *json = NULL;
  CHECK(sartor_space(runtime, &json) == SARTOR_OK);
  CHECK(json && strstr(json, "\"c_mode\"") && strstr(json, "\"enum\""));
  sartor_free(json);
  sartor_free(NULL);
}

static void constrains(sartor_runtime *runtime) {
  char *json = NULL;
  CHECK(sartor_constrain(runtime, "{\"relations\": [\"c_mode < 3\"]}") == SARTOR_OK);
  CHECK(sartor_specialize(runtime, "{\"c_mode\": 3}") == kForbiddenConfiguration);
  CHECK(strstr(sartor_last_error(), "c_mode < 3") != NULL);
  CHECK(sartor_specialize(runtime, "{\"c_mode\": 2}") == SARTOR_OK);
  CHECK(sartor_space(runtime, &json) == SARTOR_OK);
  CHECK(json && strstr(json, "\"c_mode < 3\"") != NULL);
  sartor_free(json);
  CHECK(sartor_constrain(runtime, "{\"relations\": [\"c_mood < 3\"]}") == kBadConstraint);
  CHECK(sartor_constrain(runtime, "{\"forbidden\": [{\"c_mood\": 3}]}") == kUnknownLabel);
  CHECK(sartor_constrain(runtime, "{\"relations\"") == kBadJson);
  CHECK(sartor_specialize(runtime, "{\"c_mode\": 3}") == kForbiddenConfiguration);
  CHECK(sartor_constrain(runtime, "{}") == SARTOR_OK);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
}

static void opens_files(const char *path) {
  sartor_runtime *runtime = NULL;
  CHECK(sartor_open_file(path, &runtime) == SARTOR_OK);
  CHECK(get_handler(runtime, "cube")(5, 3) == 125);
  sartor_close(runtime);
  runtime = NULL;
  CHECK(sartor_open_file("/nowhere.bc", &runtime) == kFileError);
  CHECK(runtime == NULL);
  CHECK(strstr(sartor_last_error(), "/nowhere.bc") != NULL);
  CHECK(sartor_open_modules(NULL, NULL, &runtime) == kNoHandlerModule);
  CHECK(strstr(sartor_last_error(), "sartor_add_handler()") != NULL);
  sartor_close(NULL);
}

static void binds(sartor_runtime *runtime) {
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_INTEGER, {3}}};
  sartor_binding *binding = NULL;
  void (*function)(void) = NULL;
  CHECK(sartor_bind(runtime, "c_handler", arguments, 2, &binding) == SARTOR_OK);
  CHECK(sartor_binding_function(binding, &function) == SARTOR_OK);
  CHECK(((unsigned (*)(unsigned))function)(7) == c_handler(7, 3));
  CHECK(sartor_binding_wait(binding) == SARTOR_OK);
  CHECK(((unsigned (*)(unsigned))function)(7) == c_handler(7, 3));
  sartor_release(binding);
  sartor_release(NULL);
  binding = NULL;
  CHECK(sartor_bind(runtime, "c_handlr", arguments, 2, &binding) != SARTOR_OK);
  CHECK(binding == NULL && strstr(sartor_last_error(), "c_handler") != NULL);
  const unsigned order[] = {5};
  CHECK(sartor_limit_bindings(runtime, "c_handler", 10, order, 1) != SARTOR_OK);
  CHECK(sartor_limit_bindings(runtime, "c_handler", 10, NULL, 0) == SARTOR_OK);
}

static void binds_structures(sartor_runtime *runtime) {
  const struct Range range = {1, 9};
  sartor_argument arguments[2] = {{SARTOR_ARGUMENT_OBJECT, {.object = {&range, sizeof range}}},
                                  {SARTOR_ARGUMENT_UNBOUND, {0}}};
  sartor_binding *binding = NULL;
  void (*function)(void) = NULL;
  CHECK(sartor_bind(runtime, "steps", arguments, 2, &binding) == SARTOR_OK);
  CHECK(sartor_binding_function(binding, &function) == SARTOR_OK);
  CHECK(((long (*)(double))function)(2) == steps(range, 2));
  CHECK(sartor_binding_wait(binding) == SARTOR_OK);
  CHECK(((long (*)(double))function)(0.5) == steps(range, 0.5));
  sartor_release(binding);
  arguments[0].value.object.bytes = 8;
  CHECK(sartor_bind(runtime, "steps", arguments, 2, &binding) != SARTOR_OK);
  CHECK(strstr(sartor_last_error(), "16 bytes") != NULL);
  arguments[0].kind = SARTOR_ARGUMENT_UNBOUND;
  arguments[1] = (sartor_argument){SARTOR_ARGUMENT_FLOATING, {.floating = 2}};
  CHECK(sartor_bind(runtime, "steps", arguments, 2, &binding) == SARTOR_OK);
  CHECK(sartor_binding_function(binding, &function) == SARTOR_OK);
  CHECK(sartor_binding_wait(binding) == SARTOR_OK);
  CHECK(((long (*)(struct Range))function)(range) == steps(range, 2));
  sartor_release(binding);
}

static void refuses_arguments_that_are_none(sartor_runtime *runtime) {
  sartor_argument arguments[2] = {{SARTOR_ARGUMENT_OBJECT, {.object = {NULL, 16}}},
                                  {SARTOR_ARGUMENT_UNBOUND, {0}}};
  sartor_binding *binding = NULL;
  CHECK(sartor_bind(runtime, "steps", arguments, 2, &binding) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(strstr(sartor_last_error(), "object.address") != NULL);
  arguments[0].kind = (enum sartor_argument_kind)7;
  CHECK(sartor_bind(runtime, "steps", arguments, 2, &binding) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(strstr(sartor_last_error(), "kind") != NULL);
  arguments[0].kind = SARTOR_ARGUMENT_UNBOUND;
  arguments[1] = (sartor_argument){SARTOR_ARGUMENT_FLOATING, {.floating = NAN}};
  CHECK(sartor_bind(runtime, "steps", arguments, 2, &binding) == SARTOR_ERROR_BAD_BINDING);
  CHECK(strstr(sartor_last_error_remedy(), "NaN") != NULL);
  CHECK(binding == NULL);
}

static void binds_further(sartor_runtime *runtime) {
  const struct Range range = {1, 9};
  const sartor_argument nothing[2] = {{SARTOR_ARGUMENT_UNBOUND, {0}},
                                      {SARTOR_ARGUMENT_UNBOUND, {0}}};
  sartor_argument more[2] = {{SARTOR_ARGUMENT_UNBOUND, {0}},
                             {SARTOR_ARGUMENT_FLOATING, {.floating = 2}}};
  sartor_binding *first = NULL, *second = NULL, *third = NULL;
  void (*function)(void) = NULL;
  CHECK(sartor_bind(runtime, "steps", nothing, 2, &first) == SARTOR_OK);
  CHECK(sartor_bind_further(first, more, 2, &second) == SARTOR_OK);
  sartor_release(first);
  more[0] = (sartor_argument){SARTOR_ARGUMENT_OBJECT, {.object = {&range, sizeof range}}};
  CHECK(sartor_bind_further(second, more, 2, &third) != SARTOR_OK); /* one parameter is left */
  CHECK(third == NULL && strstr(sartor_last_error(), "steps") != NULL);
  CHECK(sartor_bind_further(second, more, 1, &third) == SARTOR_OK);
  sartor_release(second);
  CHECK(sartor_binding_wait(third) == SARTOR_OK);
  CHECK(sartor_binding_function(third, &function) == SARTOR_OK);
  CHECK(((long (*)(void))function)() == steps(range, 2));
  sartor_release(third);
  CHECK(sartor_bind_further(NULL, more, 1, &third) != SARTOR_OK);
  CHECK(strstr(sartor_last_error(), "null pointer") != NULL);
}

static void invariants(sartor_runtime *runtime) {
  static int memory = 5;
  sartor_invariant *invariant = NULL;
  CHECK(sartor_invariant_declare(&memory, 0, &invariant) != SARTOR_OK);
  CHECK(invariant == NULL);
  CHECK(sartor_invariant_declare(&memory, sizeof memory, &invariant) == SARTOR_OK);
  CHECK(sartor_tie(runtime, "no such label", invariant) != SARTOR_OK);
  CHECK(sartor_invariant_add(invariant, &failures, sizeof failures) == SARTOR_OK);
  CHECK(sartor_invariant_add(invariant, NULL, 8) != SARTOR_OK);
  CHECK(sartor_invariant_add(NULL, &failures, sizeof failures) != SARTOR_OK);
  CHECK(strstr(sartor_last_error(), "null pointer") != NULL);
  CHECK(sartor_invariant_add_part(&failures, 4, &failures, 4, NULL) != SARTOR_OK);
  CHECK(strstr(sartor_last_error(), "null pointer") != NULL);
  CHECK(sartor_invalidate_later(NULL) != SARTOR_OK);
  CHECK(strstr(sartor_last_error(), "null pointer") != NULL);
  CHECK(sartor_reusable(NULL) == 0);
  CHECK(sartor_invalidate(invariant) == SARTOR_OK);
  CHECK(sartor_invalidate(NULL) == SARTOR_OK);
}

static void invariants_parts(void) {
  static struct {
    unsigned changes;
    unsigned fixed[4];
  } object;
  sartor_invariant *invariant = NULL;
  CHECK(sartor_invariant_add_part(&object, sizeof object, &object + 1, 4, &invariant) != SARTOR_OK);
  CHECK(invariant == NULL);
  CHECK(sartor_invariant_add_part(&object, sizeof object, &object.fixed[0], 4, &invariant) ==
        SARTOR_OK);
  sartor_invariant *first = invariant;
  CHECK(sartor_invariant_add_part(&object, sizeof object, &object.fixed[2], 8, &invariant) ==
        SARTOR_OK);
  CHECK(invariant == first);
  CHECK(sartor_reusable(invariant) == 0);
  CHECK(sartor_invalidate_later(invariant) == SARTOR_OK);
  while (sartor_reusable(invariant) == 0) {
  }
  CHECK(sartor_invalidate(invariant) == SARTOR_OK);
}

static void profiles(sartor_runtime *runtime) {
  char *json = NULL;
  CHECK(sartor_instrument(runtime, "{\"c_mode\": 1}") == SARTOR_OK);
  CHECK(get_handler(runtime, "c_handler")(7, 3) == c_handler(7, 3));
  CHECK(sartor_instrument(runtime, "{}") == SARTOR_OK);
  CHECK(sartor_profile(runtime, &json) == SARTOR_OK);
  CHECK(json && strstr(json, "\"count\":1") != NULL);
  CHECK(sartor_load_profile(runtime, json) == SARTOR_OK);
  sartor_free(json);
  CHECK(sartor_profile(runtime, &json) == SARTOR_OK);
  CHECK(json && strstr(json, "\"count\":2") != NULL);
  sartor_free(json);
  CHECK(sartor_load_profile(runtime, "{") != SARTOR_OK);
  CHECK(sartor_instrument(runtime, "{\"c_mod\": 1}") != SARTOR_OK);
}

static void refuses_null(sartor_runtime *runtime) {
  void (*function)(void) = NULL;
  sartor_status status = sartor_specialize(runtime, NULL);
  CHECK(status > 0 && status != SARTOR_INTERNAL_ERROR);
  CHECK(strstr(sartor_last_error(), "configuration") != NULL);
  CHECK(sartor_specialize(NULL, "{}") == status);
  CHECK(sartor_specialize_async(NULL, "{}") == status);
  CHECK(sartor_handler(runtime, NULL, &function) == status);
  CHECK(sartor_handler(runtime, "c_handler", NULL) == status);
  CHECK(sartor_space(runtime, NULL) == status);
  CHECK(sartor_instrument(runtime, NULL) == status);
  CHECK(sartor_constrain(runtime, NULL) == status);
  CHECK(sartor_bind(runtime, "c_handler", NULL, 2, NULL) == status);
  CHECK(sartor_invariant_declare("", 1, NULL) == status);
  CHECK(sartor_tie(runtime, "c_mode", NULL) == status);
  CHECK(sartor_limit_bindings(runtime, "c_handler", 1, NULL, 1) == status);
  CHECK(sartor_open(NULL) == status);
  CHECK(sartor_open_file(NULL, &runtime) == status);
}

static void is_off_when_told(void) {
  sartor_runtime *runtime = NULL;
  setenv("SARTOR", "off", 1);
  CHECK(sartor_open(&runtime) == SARTOR_OK);
  unsetenv("SARTOR");
  CHECK(sartor_specialize(runtime, "{\"c_mode\": {\"values\": [3], \"guard\": false}}") ==
        SARTOR_OK);
  CHECK(get_handler(runtime, "c_handler") == &c_handler);
  sartor_close(runtime);
}

int main(int argc, char **argv) {
  sartor_runtime *runtime = NULL;
  if (argc != 3)
    return 2;
  CHECK(strcmp(sartor_version(), SARTOR_TEST_VERSION) == 0);
  CHECK(sartor_open(&runtime) == SARTOR_OK);
  specializes(runtime);
  reports_what_was_made(runtime);
  specializes_in_the_background(runtime);
  reports_errors(runtime);
  customizes_the_pipeline(runtime, argv[1]);
  reports_the_points(runtime);
  constrains(runtime);
  binds(runtime);
  binds_structures(runtime);
  refuses_arguments_that_are_none(runtime);
  binds_further(runtime);
  invariants(runtime);
  invariants_parts();
  profiles(runtime);
  refuses_null(runtime);
  sartor_close(runtime);
  opens_files(argv[2]);
  takes_options();
  is_off_when_told();
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
