/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Macros of the interpreter's loop: of the interpreter at first, then of the handler. quickjs.c
 * includes this header before each. */
#ifndef QSARTOR_VARIANT
#include <sartor/points.h>

/* A flag of a call that goes on with the frame of a variant that was left. */
#define QSARTOR_LEFT (1 << 30)
/* A call. The variant is looked for if the function is hot. */
#define qsartor_count()                                                                            \
  if (unlikely(b->heat >= qsartor_heat)) {                                                         \
    qsartor_Run *run_ = b->run ? b->run : qsartor_look(b);                                         \
    if (run_)                                                                                      \
      return run_(caller_ctx, p, &this_obj, argc, argv, flags, &new_target);                       \
  } else                                                                                           \
    b->heat++
#define qsartor_frame()
#define qsartor_place(pos, depth) (pos)
#define qsartor_resume(pos) pc = b->byte_code_buf + (pos)
#define qsartor_break break
#define qsartor_exception()
#define qsartor_unwound()
#define qsartor_free_call(first)                                                                   \
  for (i = (first); i < call_argc; i++)                                                            \
  JS_FreeValue(ctx, call_argv[i])
#define qsartor_free_frame()                                                                       \
  for (pval = local_buf; pval < sp; pval++)                                                        \
  JS_FreeValue(ctx, *pval)
#define qsartor_release(b)                                                                         \
  if ((b)->hot.word)                                                                               \
  qsartor_free(&(b)->hot)

static no_inline qsartor_Run *qsartor_look(JSFunctionBytecode *b) {
  const char *first = (const char *)b + sizeof b->header;
  const qsartor_Part parts[] = {{first, (const char *)&b->realm - first},
                                {&b->cpool, sizeof b->cpool},
                                {b->byte_code_buf, b->byte_code_len},
                                {b->cpool, b->cpool_count * sizeof *b->cpool}};
  const size_t bytes = b->byte_code_buf + b->byte_code_len - (const uint8_t *)b; /* it comes last */
  return b->run = qsartor_find(&b->hot, b, bytes, parts, 4, &b->heat);
}

/* Not a loop: places in the frame have to be constant. */
#define qsartor_first_four(from, to, each)                                                         \
  if ((from) + 0 < (to))                                                                           \
    each((from) + 0);                                                                              \
  if ((from) + 1 < (to))                                                                           \
    each((from) + 1);                                                                              \
  if ((from) + 2 < (to))                                                                           \
    each((from) + 2);                                                                              \
  if ((from) + 3 < (to))                                                                           \
  each((from) + 3)

#define INLINED static inline __attribute__((always_inline))
/* A call from a variant: from variant to variant if the callee has one. Arguments are copied out of
 * the frame, which the callee does not see. */
INLINED JSValue qsartor_call(JSContext *ctx, JSValueConst function, JSValueConst this_obj,
                             JSValueConst new_target, int argc, JSValueConst *argv, int flags) {
  JSValueConst own[4];
#define qsartor_copy(n) own[n] = argv[n]
  if (argc <= 4) {
    qsartor_first_four(0, argc, qsartor_copy);
    argv = own;
    flags |= JS_CALL_FLAG_COPY_ARGV;
  }
  if (likely(JS_VALUE_GET_TAG(function) == JS_TAG_OBJECT)) {
    JSObject *p = JS_VALUE_GET_OBJ(function);
    JSClassCall *native = ctx->rt->class_array[p->class_id].call;
    if (p->class_id != JS_CLASS_BYTECODE_FUNCTION && native)
      return native(ctx, function, this_obj, argc, argv, flags);
    if (likely(p->class_id == JS_CLASS_BYTECODE_FUNCTION && p->u.func.function_bytecode->run))
      return p->u.func.function_bytecode->run(ctx, p, &this_obj, argc, argv, flags, &new_target);
  }
  return JS_CallInternal(ctx, function, this_obj, new_target, argc, argv, flags);
}

static no_inline JSValue qsartor_go_on(JSContext *ctx, JSStackFrame *frame, JSValueConst this_obj,
                                       JSValueConst new_target, int argc, JSValueConst *argv) {
  return JS_CallInternal(ctx, JS_MKPTR(JS_TAG_INT, frame), this_obj, new_target, argc, argv,
                         JS_CALL_FLAG_GENERATOR | QSARTOR_LEFT);
}
#else
#pragma clang diagnostic ignored "-Wmacro-redefined"
#undef SWITCH
#undef CASE
#undef DEFAULT
#undef BREAK
#define DIRECT_DISPATCH 0
#define QSARTOR_LEFT 0 /* no variant begins so */
#define JS_CallInternal qsartor_call
#define qsartor_break goto restart

/* Functions for operands that are not both small integers: numbers are worked on here, other
 * operands outside the frame, so that it stays in registers. `at` is the top of the stack. */
#define qsartor_outside(count, at, call)                                                           \
  ({                                                                                               \
    JSValue own_[2] = {(at)[-(count)], (at)[-1]}, *const top_ = own_ + 2;                          \
    const int failed_ = (call);                                                                    \
    (at)[-(count)] = own_[0];                                                                      \
    (at)[-1] = own_[1];                                                                            \
    failed_;                                                                                       \
  })
#define qsartor_numbers(at, result, call)                                                          \
  ({                                                                                               \
    double x_, y_;                                                                                 \
    js_arith_to_float64((at)[-2], &x_) && js_arith_to_float64((at)[-1], &y_)                       \
        ? ((at)[-2] = (result), 0)                                                                 \
        : qsartor_outside(2, at, call);                                                            \
  })
#define js_add_slow(ctx, at) qsartor_numbers(at, js_float64(x_ + y_), (js_add_slow)(ctx, top_))
#define js_relational_slow(ctx, at, op)                                                            \
  qsartor_numbers(at,                                                                              \
                  js_bool((op) == OP_lt    ? x_ < y_                                               \
                          : (op) == OP_lte ? x_ <= y_                                              \
                          : (op) == OP_gt  ? x_ > y_                                               \
                                           : x_ >= y_),                                            \
                  (js_relational_slow)(ctx, top_, op))
#define js_eq_slow(ctx, at, is_not)                                                                \
  qsartor_numbers(at, js_bool((x_ == y_) != (is_not)), (js_eq_slow)(ctx, top_, is_not))
#define js_strict_eq_slow(ctx, at, is_not)                                                         \
  qsartor_numbers(at, js_bool((x_ == y_) != (is_not)), (js_strict_eq_slow)(ctx, top_, is_not))
#define js_binary_arith_slow(ctx, at, op)                                                          \
  qsartor_outside(2, at, (js_binary_arith_slow)(ctx, top_, op))
#define js_binary_logic_slow(ctx, at, op)                                                          \
  qsartor_outside(2, at, (js_binary_logic_slow)(ctx, top_, op))
#define js_shr_slow(ctx, at) qsartor_outside(2, at, (js_shr_slow)(ctx, top_))
#define js_not_slow(ctx, at) qsartor_outside(1, at, (js_not_slow)(ctx, top_))
#define js_post_inc_slow(ctx, at, op)                                                              \
  qsartor_outside(2, (at) + 1, (js_post_inc_slow)(ctx, top_ - 1, op))
#define js_unary_arith_slow(ctx, at, op)                                                           \
  qsartor_outside(1, at, (js_unary_arith_slow)(ctx, top_, op))

#define qsartor_handler                                                                            \
  SARTOR_HANDLER JSValue qsartor_run(JSFunctionBytecode *b_, JSContext *caller_ctx, JSObject *p_,  \
                                     const JSValueConst *this_, int argc, JSValueConst *argv,      \
                                     int flags, const JSValueConst *new_target_)
/* Arguments are always copied: their places, too, are known then. */
#define qsartor_begin()                                                                            \
  p = p_;                                                                                          \
  b = b_;                                                                                          \
  const JSValueConst func_obj = JS_MKPTR(JS_TAG_OBJECT, p), this_obj = *this_;                     \
  const JSValueConst new_target = *new_target_;                                                    \
  arg_allocated_size = b->arg_count
/* Only what is counted is called, and none of this is a loop. */
#define JS_FreeValue(ctx, value)                                                                   \
  ({                                                                                               \
    const JSValue freed_ = (value);                                                                \
    if (JS_VALUE_HAS_REF_COUNT(freed_))                                                            \
      (JS_FreeValue)(ctx, freed_);                                                                 \
  })
#define set_value(ctx, at, value)                                                                  \
  ({                                                                                               \
    JSValue *const set_ = (at);                                                                    \
    const JSValue new_ = (value), old_ = *set_;                                                    \
    *set_ = new_;                                                                                  \
    JS_FreeValue(ctx, old_);                                                                       \
  })
#define qsartor_free_argument(n) JS_FreeValue(ctx, call_argv[n])
#define qsartor_free_call(first)                                                                   \
  qsartor_first_four(first, call_argc, qsartor_free_argument);                                     \
  for (i = (first) + 4; i < call_argc; i++)                                                        \
  JS_FreeValue(ctx, call_argv[i])
#define qsartor_free_value(n)                                                                      \
  (n) < alloca_size / sizeof *local_buf ? JS_FreeValue(ctx, local_buf[n]) : (void)0
#define qsartor_free_frame()                                                                       \
  i = sp - local_buf;                                                                              \
  qsartor_first_four(0, i, qsartor_free_value);                                                    \
  qsartor_first_four(4, i, qsartor_free_value);                                                    \
  qsartor_first_four(8, i, qsartor_free_value);                                                    \
  for (pval = local_buf + 12; pval < sp; pval++)                                                   \
  JS_FreeValue(ctx, *pval)

/* Without closures over its variables, other code reaches the frame by pointers that it gets. */
#define qsartor_frame()                                                                            \
  JSValue *const plain_ = stack_buf; /* other pointers are derived from the local frame */         \
  qsartor_own_frame()
#define qsartor_own_frame()                                                                        \
  if (b->var_ref_count == 0) {                                                                     \
    local_buf = sartor_local(plain_ - b->var_count - arg_allocated_size, alloca_size);             \
    arg_buf = local_buf;                                                                           \
    var_buf = local_buf + arg_allocated_size;                                                      \
    stack_buf = var_buf + b->var_count;                                                            \
    sp = stack_buf;                                                                                \
  }
/* While control looks for what catches, the frame is in memory. */
#define qsartor_exception()                                                                        \
  sartor_publish();                                                                                \
  sp = plain_ + (sp - stack_buf);                                                                  \
  stack_buf = plain_;                                                                              \
  local_buf = plain_ - b->var_count - arg_allocated_size
#define qsartor_unwound()                                                                          \
  if (b->var_ref_count != 0)                                                                       \
    close_var_refs(rt, sf);                                                                        \
  for (pval = local_buf; pval < sp; pval++)                                                        \
    JS_FreeValue(ctx, *pval);                                                                      \
  rt->current_stack_frame = sf->prev_frame;                                                        \
  return JS_EXCEPTION
/* A place that control comes back to, and the height of the stack there, are one of those that are
 * known. */
#define qsartor_key(pos, depth) sartor_one_of((uint64_t)(uint32_t)(pos) | (uint64_t)(depth) << 32)
#define qsartor_place(pos, depth) ((int)qsartor_key(pos, depth))
/* Where it is not known, the interpreter goes on with the frame. */
#define qsartor_resume(pos)                                                                        \
  {                                                                                                \
    const uint64_t key_ = qsartor_key(pos, sp - stack_buf);                                        \
    sartor_publish();                                                                              \
    if (!__builtin_constant_p(key_)) {                                                             \
      sf->cur_pc = b->byte_code_buf + (uint32_t)(pos);                                             \
      sf->cur_sp = plain_ + (sp - stack_buf);                                                      \
      sf->arg_buf = sf->var_buf - arg_allocated_size;                                              \
      rt->current_stack_frame = sf->prev_frame;                                                    \
      return qsartor_go_on(ctx, sf, this_obj, new_target, argc, argv);                             \
    }                                                                                              \
    qsartor_own_frame();                                                                           \
    pc = b->byte_code_buf + (uint32_t)key_;                                                        \
    sp = stack_buf + (key_ >> 32);                                                                 \
  }
#endif
