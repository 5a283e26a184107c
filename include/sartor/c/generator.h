/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Generators of custom points in C: the counterpart of generator.hpp, which describes the text that
 * they return in more detail.
 */
#ifndef SARTOR_C_GENERATOR_H
#define SARTOR_C_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/c/sartor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The custom point that code is generated for. Valid while the generator runs. Types are text:
 *  `u64`, `i8`, `bool`, `f32`, `ptr`. */
typedef struct {
  const char *label;
  const char *kind;
  const char *handler;    /**< Name of the handler that is being specialized. */
  const char *setting;    /**< The setting as readable text: `16`, `0.5`, `tree`. */
  int64_t setting_number; /**< The setting, if it is an integer; otherwise zero. */
  const char *result;     /**< The type of the result. */
  size_t argument_count;
  const char *const *arguments; /**< The types of the arguments. */
} sartor_generator_input;

typedef enum {
  SARTOR_LANGUAGE_C = 0,   /**< Compiled by clang. */
  SARTOR_LANGUAGE_LLVM_IR, /**< LLVM's assembly language, of the LLVM that Sartor uses. */
} sartor_language;

/** Receives the generated code. */
typedef struct sartor_generated_code sartor_generated_code;

/** Generates a point's code: calls sartor_generate(), and returns zero. A nonzero result refuses
 *  the variant. Called on a compiling thread. */
typedef int (*sartor_generator)(const sartor_generator_input *point, sartor_generated_code *code,
                                void *user);

/** Sets the source text, which defines `function` (null: "specialized") with the arguments and
 *  result of the point. `flags` is a null-terminated list of clang's flags, or null. Copies
 *  everything. */
void sartor_generate(sartor_generated_code *code, sartor_language language, const char *text,
                     const char *function, const char *const *flags);
/** Declares that the code is valid only as long as the invariant is: when it is revoked, the
 *  variant is deactivated. */
void sartor_generated_depends_on(sartor_generated_code *code, const sartor_invariant *invariant);
/** Refuses the variant, with this reason in the error. */
void sartor_generated_fail(sartor_generated_code *code, const char *why);

/** Like Runtime::add_custom(); explorations set the points to 1. `user` must stay valid as long
 *  as the runtime. */
sartor_status sartor_add_custom(sartor_runtime *runtime, const char *kind,
                                sartor_generator generator, void *user);
/** The same; explorations set the points to `choices`, a JSON list of values. */
sartor_status sartor_add_custom_choices(sartor_runtime *runtime, const char *kind,
                                        const char *choices, sartor_generator generator,
                                        void *user);

#ifdef __cplusplus
}
#endif

#endif
