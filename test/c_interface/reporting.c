/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of a runtime about itself, and errors. */
#include <sartor/c/sartor.h>

#include <string.h>

#include "check.h"

unsigned c_handler(unsigned x, unsigned mode);

static double number(const char *json, const char *pointer) {
  double value = -1;
  CHECK(sartor_json_number(json, pointer, &value) == SARTOR_OK);
  return value;
}

static void expect_text(const char *json, const char *pointer, const char *expected) {
  char *text = NULL;
  CHECK(sartor_json_text(json, pointer, &text) == SARTOR_OK);
  if (text && strcmp(text, expected) != 0)
    fprintf(stderr, "%s: %s\n", pointer, text);
  CHECK(text && strcmp(text, expected) == 0);
  sartor_free(text);
}

static void reads_json(void) {
  const char *json = "{\"a/b\":[1,2.5,true,\"x\"],\"c\":{\"d\":null}}";
  double value = 7;
  char *text = NULL;
  size_t count = 7;
  CHECK(number(json, "/a~1b/1") == 2.5);
  CHECK(number(json, "/a~1b/2") == 1);
  expect_text(json, "/a~1b/3", "x");
  expect_text(json, "/c", "{\"d\":null}");
  CHECK(sartor_json_count(json, "/a~1b", &count) == SARTOR_OK && count == 4);
  CHECK(sartor_json_count(json, "", &count) == SARTOR_OK && count == 2);
  CHECK(sartor_json_number(json, "/a~1b/3", &value) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_json_number(json, "/a~1b/9", &value) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_json_number(json, "nowhere", &value) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_json_number("{", "", &value) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_json_text(json, "/c/e", &text) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_json_count(json, "/a~1b/0", &count) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_json_number(NULL, "", &value) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(value == 7 && !text);
}

static void names_errors(sartor_runtime *runtime) {
  int status;
  CHECK(strcmp(sartor_error_name(SARTOR_OK), "ok") == 0);
  CHECK(strcmp(sartor_error_name(SARTOR_INTERNAL_ERROR), "internal_error") == 0);
  CHECK(strcmp(sartor_error_name(SARTOR_ERROR_UNKNOWN_LABEL), "unknown_label") == 0);
  CHECK(strcmp(sartor_error_name(SARTOR_ERROR_SERVER_REFUSED), "server_refused") == 0);
  for (status = 1; sartor_error_name(status); ++status) {
  }
  CHECK(status > SARTOR_ERROR_SERVER_REFUSED);
  CHECK(!sartor_error_name(100000) && !sartor_error_name(-2));

  CHECK(sartor_specialize(runtime, "{\"c_mood\":1}") == SARTOR_ERROR_UNKNOWN_LABEL);
  CHECK(sartor_last_error_code() == SARTOR_ERROR_UNKNOWN_LABEL);
  CHECK(strcmp(sartor_last_error_subject(), "c_mood") == 0);
  CHECK(strstr(sartor_last_error_remedy(), "c_mode") != NULL);
  CHECK(strstr(sartor_last_error(), sartor_last_error_message()) != NULL);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK); /* keeps the last error */
  CHECK(sartor_last_error_code() == SARTOR_ERROR_UNKNOWN_LABEL);
}

static void checks_types(sartor_runtime *runtime) {
  struct Both {
    double from, to;
  };
  void (*function)(void) = NULL;
  const sartor_form right[] = {SARTOR_FORM(unsigned), SARTOR_FORM(unsigned), SARTOR_FORM(unsigned)};
  const sartor_form wider[] = {SARTOR_FORM(unsigned), SARTOR_FORM(long), SARTOR_FORM(unsigned)};
  const sartor_form none[] = {SARTOR_NO_RESULT, SARTOR_FORM(unsigned), SARTOR_FORM(unsigned)};
  const sartor_form floats[] = {SARTOR_FORM(float), SARTOR_FORM(unsigned), SARTOR_FORM(unsigned)};
  const sartor_form steps[] = {SARTOR_FORM(long), SARTOR_FORM(struct Both), SARTOR_FORM(double)};
  const sartor_form pointed[] = {SARTOR_FORM(long), SARTOR_FORM(struct Both *),
                                 SARTOR_FORM(double)};
  const int wrong = SARTOR_ERROR_WRONG_SIGNATURE;
  CHECK(sartor_handler_checked(runtime, "c_handler", wider, 3, &function) == wrong);
  CHECK(sartor_handler_checked(runtime, "c_handler", none, 3, &function) == wrong);
  CHECK(sartor_handler_checked(runtime, "c_handler", floats, 3, &function) == wrong);
  CHECK(sartor_handler_checked(runtime, "c_handler", right, 2, &function) == wrong);
  CHECK(sartor_handler_checked(runtime, "steps", pointed, 3, &function) == wrong);
  CHECK(sartor_handler_checked(runtime, "c_handler", right, 0, &function) ==
        SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(!function);
  CHECK(sartor_handler_checked(runtime, "steps", steps, 3, &function) == SARTOR_OK);
  CHECK(sartor_handler_checked(runtime, "c_handler", right, 3, &function) == SARTOR_OK);
  CHECK(function && ((unsigned (*)(unsigned, unsigned))function)(7, 2) == 14);
}

static void reports_figures(sartor_runtime *runtime) {
  char *json = NULL;
  CHECK(sartor_active(runtime) == 1 && sartor_active(NULL) == 0);
  CHECK(sartor_opening(runtime) == 0 && sartor_opening(NULL) == 0);
  CHECK(sartor_handlers(runtime, &json) == SARTOR_OK);
  CHECK(json && strstr(json, "\"c_handler\"") && strstr(json, "\"steps\""));
  sartor_free(json);
  CHECK(sartor_specialize_with_report(runtime, "{\"c_mode\":3}", &json) == SARTOR_OK);
  expect_text(json, "/0/configuration", "{\"c_mode\":3}");
  expect_text(json, "/0/origin", "compiled");
  expect_text(json, "/0/quick", "false");
  CHECK(number(json, "/0/code_bytes") > 0);
  CHECK(number(json, "/0/resident_bytes") >= number(json, "/0/code_bytes"));
  CHECK(number(json, "/0/compile_time") > 0);
  sartor_free(json);
  CHECK(sartor_statistics(runtime, &json) == SARTOR_OK);
  CHECK(number(json, "/compiles") > 0 && number(json, "/variants") > 0);
  CHECK(number(json, "/failures") >= 0 && strstr(json, "\"guard_failures\":{"));
  sartor_free(json);
  CHECK(sartor_content(runtime, &json) == SARTOR_OK);
  CHECK(json && strlen(json) > 0);
  sartor_free(json);
  CHECK(sartor_statistics(NULL, &json) == SARTOR_ERROR_BAD_ARGUMENT);
}

static void reports_configurations(sartor_runtime *runtime) {
  char *json = NULL;
  CHECK(sartor_configuration(runtime, &json) == SARTOR_OK);
  expect_text(json, "", "{\"c_mode\":3}");
  sartor_free(json);
  CHECK(sartor_configuration_text("{\"N\":[256,64], \"B\":16}", &json) == SARTOR_OK);
  CHECK(json && strcmp(json, "{B=16,N=64|256}") == 0);
  sartor_free(json);
  CHECK(sartor_check(runtime, "{\"c_mode\":2}") == SARTOR_OK);
  CHECK(sartor_check(runtime, "{\"c_mode\":9}") == SARTOR_ERROR_VALUE_OUTSIDE_CHOICES);
  CHECK(sartor_restrict(runtime, "{\"c_mode\":2}", "steps", &json) == SARTOR_OK);
  expect_text(json, "", "{}");
  sartor_free(json);
  CHECK(sartor_restrict(runtime, "{\"c_mode\":2}", "c_handler", &json) == SARTOR_OK);
  expect_text(json, "", "{\"c_mode\":2}");
  sartor_free(json);
  CHECK(sartor_restrict(runtime, "{}", "nobody", &json) == SARTOR_ERROR_UNKNOWN_HANDLER);
  CHECK(sartor_specialize(runtime, "{}") == SARTOR_OK);
}

static void logs_events(void) {
  const char *path = "c_interface_telling.log";
  char options[100], line[300];
  int found = 0;
  sartor_runtime *runtime = NULL;
  remove(path);
  snprintf(options, sizeof options, "{\"event_log\":\"%s\"}", path);
  REQUIRE(sartor_open_with(options, &runtime) == SARTOR_OK);
  CHECK(sartor_log_event(runtime, "of_mine", "{\"a\":\n1}") == SARTOR_OK);
  CHECK(sartor_log_event(runtime, "of_mine", "[1]") == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_log_event(runtime, "of_mine", "}, {") == SARTOR_ERROR_BAD_JSON);
  sartor_close(runtime);
  FILE *file = fopen(path, "r");
  REQUIRE(file);
  while (fgets(line, sizeof line, file))
    found += strstr(line, "\"of_mine\"") && strstr(line, "\"a\":1") ? 1 : 0;
  fclose(file);
  remove(path);
  CHECK(found == 1);
}

static void clears_and_merges_profiles(sartor_runtime *runtime) {
  char *one = NULL, *two = NULL;
  double share = 0;
  void (*function)(void) = NULL;
  CHECK(sartor_handler(runtime, "c_handler", &function) == SARTOR_OK);
  CHECK(sartor_instrument(runtime, "{\"c_mode\":1}") == SARTOR_OK);
  for (unsigned i = 0; i < 10; ++i)
    ((unsigned (*)(unsigned, unsigned))function)(i, i < 8 ? 2 : 3);
  CHECK(sartor_instrument(runtime, "{}") == SARTOR_OK);
  CHECK(sartor_profile(runtime, &one) == SARTOR_OK);
  CHECK(sartor_profile_share(one, "c_mode", 1, &share) == SARTOR_OK && share == 0.8);
  CHECK(sartor_profile_share(one, "c_mood", 1, &share) == SARTOR_ERROR_UNKNOWN_LABEL);
  CHECK(sartor_merge_profiles(one, one, &two) == SARTOR_OK);
  CHECK(number(two, "/points/c_mode/count") == 20);
  sartor_free(two);
  two = NULL;
  CHECK(sartor_merge_profiles(one, "{", &two) == SARTOR_ERROR_BAD_JSON && !two);
  CHECK(sartor_clear_profile(runtime) == SARTOR_OK);
  char *metrics = NULL;
  CHECK(sartor_metrics(&metrics) == SARTOR_OK);
  CHECK(strstr(metrics, "# EOF") != NULL);
  sartor_free(metrics);
  CHECK(sartor_profile(runtime, &two) == SARTOR_OK);
  CHECK(!strstr(two, "\"count\":10"));
  sartor_free(one);
  sartor_free(two);
}

/* By then, the thread's objects are destroyed. */
static void asks_at_exit(void) {
  double value = 0;
  CHECK(sartor_json_number("{ this text is not JSON", "/at/exit", &value) == SARTOR_ERROR_BAD_JSON);
  CHECK(strlen(sartor_last_error_message()) > 0 && strlen(sartor_last_error()) > 0);
  if (failures == 0)
    puts("all is well");
}

int main(void) {
  sartor_runtime *runtime = NULL;
  CHECK(atexit(asks_at_exit) == 0);
  CHECK(sartor_last_error_code() == SARTOR_OK && strcmp(sartor_last_error(), "") == 0);
  CHECK(strcmp(sartor_last_error_subject(), "") == 0);
  reads_json();
  REQUIRE(sartor_open_with("{\"quick_tier\":false}", &runtime) == SARTOR_OK);
  names_errors(runtime);
  checks_types(runtime);
  reports_figures(runtime);
  reports_configurations(runtime);
  clears_and_merges_profiles(runtime);
  sartor_close(runtime);
  logs_events();
  return failures != 0;
}
