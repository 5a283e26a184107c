// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Waiting for compilations in the background: of a configuration, and of a binding. */
#include "failed.h"
#include "rounds.h"

typedef uint64_t (*mix_function)(uint64_t, unsigned);
typedef uint64_t (*bound_function)(uint64_t);

int main(void) {
  sartor_runtime *runtime;
  void (*function)(void);
  must(sartor_open(&runtime));
  must(sartor_handler(runtime, "mix", &function));
  const mix_function call = (mix_function)function;

  /* Compiles without activating. The program continues meanwhile. */
  sartor_future *future;
  unsigned long done = 0;
  must(sartor_prepare(runtime, "{\"rounds\": 8}", &future));
  do
    call(done++, 8);
  while (!sartor_future_wait(future, 0)); /* timeout in seconds; 0 only checks */

  char *made, *name;
  must(sartor_future_get(future, &made)); /* or the error of the compilation */
  must(sartor_json_text(made, "/0/name", &name));
  printf("%s: %s\n", name, done > 0 ? "worked meanwhile" : "did not");
  sartor_free(name);
  sartor_free(made);
  sartor_future_free(future);
  must(sartor_specialize(runtime, "{\"rounds\": 8}")); /* returns at once: already compiled */

  /* A binding can be called at once. It runs native code until its variant is ready. */
  sartor_binding *binding;
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_INTEGER, {.integer = 3}}};
  must(sartor_bind(runtime, "mix", arguments, 2, &binding));
  must(sartor_binding_function(binding, &function));
  const bound_function mix3 = (bound_function)function;
  const uint64_t at_once = mix3(7);
  must(sartor_binding_wait(binding));
  printf("bound: %s\n", mix3(7) == at_once ? "the same" : "wrong");
  sartor_release(binding);
  sartor_close(runtime);
  return 0;
}
