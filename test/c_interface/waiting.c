/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting for variants that are compiled in the background. */
#include <sartor/c/sartor.h>

#include <string.h>

#include "check.h"

typedef unsigned (*c_handler_type)(unsigned, unsigned);

int main(void) {
  sartor_runtime *runtime = NULL;
  sartor_future *future = NULL;
  void (*function)(void) = NULL;
  char *json = NULL;
  const char *triple = "{\"c_mode\":{\"values\":[3],\"guard\":false}}";
  REQUIRE(sartor_open(&runtime) == SARTOR_OK);
  REQUIRE(sartor_handler(runtime, "c_handler", &function) == SARTOR_OK);
  const c_handler_type call = (c_handler_type)function;

  /* A prepared variant is not active. */
  REQUIRE(sartor_prepare(runtime, triple, &future) == SARTOR_OK);
  CHECK(sartor_future_get(future, &json) == SARTOR_OK);
  CHECK(json && strstr(json, "c_handler{c_mode=3!}"));
  CHECK(sartor_future_wait(future, 0) == 1);
  CHECK(sartor_future_get(future, NULL) == SARTOR_OK); /* a second time */
  CHECK(call(7, 2) == 14);
  sartor_free(json);
  sartor_future_free(future);

  REQUIRE(sartor_specialize_later(runtime, triple, &future) == SARTOR_OK);
  CHECK(sartor_future_wait(future, 1e300) == 1);
  CHECK(call(7, 2) == 21);
  sartor_future_free(future);

  /* The waiting thread gets the error; a compilation that no thread waits for continues. */
  json = NULL;
  REQUIRE(sartor_specialize_later(runtime, "{\"c_mood\":3}", &future) == SARTOR_OK);
  while (!sartor_future_wait(future, -1)) {
  }
  CHECK(sartor_future_get(future, &json) == SARTOR_ERROR_UNKNOWN_LABEL && !json);
  sartor_future_free(future);
  CHECK(call(7, 2) == 21);
  REQUIRE(sartor_specialize_later(runtime, "{\"c_mode\":{\"values\":[1],\"guard\":false}}",
                                  &future) == SARTOR_OK);
  sartor_future_free(future);
  while (call(7, 2) != 7) {
  }

  CHECK(sartor_future_wait(NULL, 1) == 0);
  CHECK(sartor_future_get(NULL, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_prepare(runtime, "{", &future) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_prepare(runtime, "{}", NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  sartor_future_free(NULL);
  sartor_close(runtime);
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
