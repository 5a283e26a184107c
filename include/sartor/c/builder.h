/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Generators of custom points in C: the counterpart of builder.hpp, which describes each function
 * in more detail. Operands, blocks and variables are numbers, valid while the generator runs. A
 * function that is misused returns zero and the variant is refused, with an error that names the
 * label; later calls of the generator have no effect.
 */
#ifndef SARTOR_C_BUILDER_H
#define SARTOR_C_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/c/sartor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sartor_builder sartor_builder;
typedef unsigned sartor_operand;
typedef unsigned sartor_block;
typedef unsigned sartor_variable;

typedef enum {
  SARTOR_VOID = 0, /**< Only as the result of sartor_builder_call(). */
  SARTOR_BOOL,
  SARTOR_U8,
  SARTOR_U16,
  SARTOR_U32,
  SARTOR_U64,
  SARTOR_I8,
  SARTOR_I16,
  SARTOR_I32,
  SARTOR_I64,
  SARTOR_F32,
  SARTOR_F64,
  SARTOR_POINTER
} sartor_type;

typedef enum {
  SARTOR_ADD = 0,
  SARTOR_SUBTRACT,
  SARTOR_MULTIPLY,
  SARTOR_AND,
  SARTOR_OR,
  SARTOR_XOR,
  SARTOR_SHIFT_LEFT,
  SARTOR_SHIFT_RIGHT_LOGICAL,
  SARTOR_SHIFT_RIGHT_ARITHMETIC
} sartor_operation;

typedef enum {
  SARTOR_ZERO_EXTEND = 0,
  SARTOR_SIGN_EXTEND,
  SARTOR_TRUNCATE,
  SARTOR_AS
} sartor_conversion;

typedef enum {
  SARTOR_EQUAL = 0,
  SARTOR_NOT_EQUAL,
  SARTOR_LESS,
  SARTOR_LESS_OR_EQUAL,
  SARTOR_GREATER,
  SARTOR_GREATER_OR_EQUAL,
  SARTOR_SIGNED_LESS,
  SARTOR_SIGNED_LESS_OR_EQUAL,
  SARTOR_SIGNED_GREATER,
  SARTOR_SIGNED_GREATER_OR_EQUAL
} sartor_predicate;

/** Builds a point. A nonzero result refuses the variant. Called on a compiling thread. */
typedef int (*sartor_generator)(sartor_builder *builder, void *user);

/** Like Runtime::add_custom(); explorations set the points to 1. `user` must stay valid as long
 *  as the runtime. */
sartor_status sartor_add_custom(sartor_runtime *runtime, const char *kind,
                                sartor_generator generator, void *user);
/** The same; explorations set the points to `choices`, a JSON list of values. */
sartor_status sartor_add_custom_choices(sartor_runtime *runtime, const char *kind,
                                        const char *choices, sartor_generator generator,
                                        void *user);

/* The point. Texts are valid while the generator runs. */
const char *sartor_builder_label(const sartor_builder *builder);
const char *sartor_builder_kind(const sartor_builder *builder);
/** Name of the handler that is being specialized. */
const char *sartor_builder_handler(const sartor_builder *builder);
/** The setting of the point: returns zero, and sets *out, if it is an integer; otherwise
 *  nonzero. */
int sartor_builder_setting(const sartor_builder *builder, int64_t *out);
/** The setting of any type as readable text: `16`, `0.5`, `tree`. */
const char *sartor_builder_setting_text(sartor_builder *builder);
sartor_type sartor_builder_result_type(const sartor_builder *builder);
/** SARTOR_VOID if there is no such argument. */
sartor_type sartor_builder_argument_type(const sartor_builder *builder, unsigned index);
unsigned sartor_builder_argument_count(const sartor_builder *builder);
/** Returns zero, and sets *out, if the argument is known and an integer or address; otherwise
 *  nonzero. */
int sartor_builder_argument_value(sartor_builder *builder, unsigned index, uint64_t *out);

sartor_operand sartor_builder_argument(sartor_builder *builder, unsigned index);
/** SARTOR_VOID for an invalid operand. */
sartor_type sartor_builder_type(const sartor_builder *builder, sartor_operand operand);
/** `value` has the bits of an integer or a pointer. */
sartor_operand sartor_builder_constant(sartor_builder *builder, sartor_type type, int64_t value);
sartor_operand sartor_builder_floating(sartor_builder *builder, sartor_type type, double value);
sartor_operand sartor_builder_address(sartor_builder *builder, const void *memory);
/** The address of a symbol of the program. */
sartor_operand sartor_builder_symbol(sartor_builder *builder, const char *name);
sartor_operand sartor_builder_binary(sartor_builder *builder, sartor_operation operation,
                                     sartor_operand a, sartor_operand b);
sartor_operand sartor_builder_convert(sartor_builder *builder, sartor_conversion conversion,
                                      sartor_operand a, sartor_type type);
sartor_operand sartor_builder_compare(sartor_builder *builder, sartor_predicate predicate,
                                      sartor_operand a, sartor_operand b);
sartor_operand sartor_builder_select(sartor_builder *builder, sartor_operand condition,
                                     sartor_operand then, sartor_operand otherwise);
/** The same integer or pointer, with its value hidden from LLVM. */
sartor_operand sartor_builder_hide(sartor_builder *builder, sartor_operand a);

sartor_variable sartor_builder_variable(sartor_builder *builder, sartor_operand initial);
sartor_operand sartor_builder_get(sartor_builder *builder, sartor_variable variable);
void sartor_builder_set(sartor_builder *builder, sartor_variable variable, sartor_operand value);

sartor_block sartor_builder_block(sartor_builder *builder);
void sartor_builder_enter(sartor_builder *builder, sartor_block block);
void sartor_builder_jump(sartor_builder *builder, sartor_block target);
void sartor_builder_branch(sartor_builder *builder, sartor_operand condition, sartor_block then,
                           sartor_block otherwise);
void sartor_builder_switch(sartor_builder *builder, sartor_operand value, size_t count,
                           const int64_t *values, const sartor_block *blocks,
                           sartor_block otherwise);
void sartor_builder_result(sartor_builder *builder, sartor_operand value);
sartor_operand sartor_builder_generic(sartor_builder *builder);

sartor_operand sartor_builder_table(sartor_builder *builder, sartor_type type, const void *values,
                                    size_t count);
sartor_operand sartor_builder_load(sartor_builder *builder, sartor_type type, sartor_operand base,
                                   sartor_operand index);
sartor_operand sartor_builder_offset(sartor_builder *builder, sartor_operand pointer,
                                     sartor_operand bytes);
/** `function` is a pointer operand: see sartor_builder_address() and sartor_builder_symbol(). */
sartor_operand sartor_builder_call(sartor_builder *builder, sartor_operand function,
                                   sartor_type result, size_t count,
                                   const sartor_operand *arguments);
/** `flags` is a null-terminated list of clang's flags, or null. */
sartor_operand sartor_builder_source(sartor_builder *builder, const char *text,
                                     const char *function, const char *const *flags);

/** Declares that the code is valid only as long as the invariant is: when it is revoked, the
 *  variant is deactivated. */
void sartor_builder_depends_on(sartor_builder *builder, const sartor_invariant *invariant);

/* For generators that write LLVM IR by its C interface (llvm-c/Core.h), of the LLVM that
 * Sartor is linked with; both interfaces may be mixed. */

/** Returns the function to fill and the generic one, as LLVMValueRef, and an LLVMBuilderRef at
 *  the end of the current block. The result is zero; or nonzero, with nulls, once the variant
 *  is refused. */
int sartor_builder_llvm(sartor_builder *builder, void **function, void **generic, void **ir);
/** An LLVMValueRef; null for an invalid operand. */
void *sartor_builder_llvm_value(sartor_builder *builder, sartor_operand operand);
/** `value` is an LLVMValueRef of that type. */
sartor_operand sartor_builder_llvm_operand(sartor_builder *builder, void *value, sartor_type type);

/** Refuses the variant. */
void sartor_builder_fail(sartor_builder *builder, const char *why);

#ifdef __cplusplus
}
#endif

#endif
