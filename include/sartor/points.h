/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Points: the places in a handler that may be specialized.
 *
 * Each macro is an expression with the value and the type of its argument. In ordinary native code
 * it *is* its argument. In a handler module (a file given to sartor_add_handler(), compiled with
 * SARTOR_POINTS defined) it leaves a mark that Sartor finds in the bitcode; the native code of that
 * file is freed of the marks before it is optimised, and costs nothing either.
 *
 * A label is a string literal, unique in the program for one kind and one list of choices. Several
 * points may share a label if they agree on both: they are then set together.
 *
 * A point's type is any integer, bool, enumeration, float, double or pointer type. The argument is
 * evaluated exactly once. Choices are constant expressions of the point's type.
 *
 * Call points (sartor_fast_path, sartor_custom) stand for a call: `function(arguments...)` is what
 * they are in native code and while they are generic. The call must be a direct one, with a scalar
 * result and scalar arguments.
 */
#ifndef SARTOR_POINTS_H
#define SARTOR_POINTS_H

#if defined(SARTOR_POINTS) && defined(__clang__)

#ifdef __cplusplus
#include <type_traits>
#define SARTOR_TYPEOF_(x) ::std::decay_t<decltype(x)>
#define SARTOR_SIGNED_(v) (::std::is_signed<decltype(v)>::value ? 1 : 0)
#define SARTOR_BOOL_(v) (::std::is_same<decltype(v), bool>::value ? 1 : 0)
extern "C" {
#else
#define SARTOR_TYPEOF_(x) __typeof__(((void)0, (x)))
#define SARTOR_SIGNED_(v)                                                                          \
  _Generic((v),                                                                                    \
      signed char: 1,                                                                              \
      char: (char)-1 < 0,                                                                          \
      short: 1,                                                                                    \
      int: 1,                                                                                      \
      long: 1,                                                                                     \
      long long: 1,                                                                                \
      default: 0)
#define SARTOR_BOOL_(v) _Generic((v), _Bool: 1, default: 0)
#endif

/* Never defined: the marks. Every argument but `value` is a constant. */
__attribute__((nothrow)) void sartor_point_(void *value, const char *label, int kind, int is_signed,
                                            int is_bool, const void *choices, unsigned count,
                                            const char *file, unsigned line);
__attribute__((nothrow)) void sartor_call_point_(void *result, const char *label, int kind,
                                                 const char *custom_kind, void *version,
                                                 unsigned version_bytes, int is_signed, int is_bool,
                                                 const char *file, unsigned line);
__attribute__((nothrow)) void sartor_assert_const_(void *value, const char *text, const char *file,
                                                   unsigned line);

#ifdef __cplusplus
}
#endif

#define SARTOR_POINT_(kind, label, x, choices, count)                                              \
  sartor_point_(&sartor_v_, label, kind, SARTOR_SIGNED_(sartor_v_), SARTOR_BOOL_(sartor_v_),       \
                choices, count, __FILE__, __LINE__)

#define SARTOR_LISTED_(kind, label, x, ...)                                                        \
  __extension__({                                                                                  \
    SARTOR_TYPEOF_(x) sartor_v_ = (x);                                                             \
    static const __typeof__(sartor_v_) sartor_c_[] = {__VA_ARGS__};                                \
    SARTOR_POINT_(kind, label, x, sartor_c_, (unsigned)(sizeof sartor_c_ / sizeof sartor_c_[0]));  \
    sartor_v_;                                                                                     \
  })

#define sartor_enum(label, x, ...) SARTOR_LISTED_(1, label, x, __VA_ARGS__)
#define sartor_range(label, x, lo, hi) SARTOR_LISTED_(2, label, x, lo, hi)
#define sartor_generic(label, x)                                                                   \
  __extension__({                                                                                  \
    SARTOR_TYPEOF_(x) sartor_v_ = (x);                                                             \
    SARTOR_POINT_(3, label, x, (const void *)0, 0u);                                               \
    sartor_v_;                                                                                     \
  })
#define sartor_assume(label, cond)                                                                 \
  __extension__({                                                                                  \
    SARTOR_TYPEOF_(!(cond)) sartor_v_ = !!(cond);                                                  \
    SARTOR_POINT_(4, label, cond, (const void *)0, 0u);                                            \
    sartor_v_;                                                                                     \
  })
/* The call's result is stored just before the mark: that is how the two find each other. */
#define SARTOR_CALL_POINT_(kind, label, custom_kind, version, version_bytes, call)                 \
  SARTOR_TYPEOF_(call) sartor_v_ = call;                                                           \
  sartor_call_point_(&sartor_v_, label, kind, custom_kind, version, version_bytes,                 \
                     SARTOR_SIGNED_(sartor_v_), SARTOR_BOOL_(sartor_v_), __FILE__, __LINE__);      \
  sartor_v_
#define sartor_fast_path(label, function, ...)                                                     \
  __extension__({ SARTOR_CALL_POINT_(5, label, "", (void *)0, 0u, function(__VA_ARGS__)); })
#define sartor_fast_path_versioned(label, version, function, ...)                                  \
  __extension__({                                                                                  \
    __typeof__(&*(version)) sartor_n_ = (version);                                                 \
    SARTOR_CALL_POINT_(5, label, "", &sartor_n_, (unsigned)sizeof(*sartor_n_),                     \
                       function(__VA_ARGS__));                                                     \
  })
#define sartor_custom(label, kind, function, ...)                                                  \
  __extension__({ SARTOR_CALL_POINT_(6, label, kind, (void *)0, 0u, function(__VA_ARGS__)); })
#define sartor_assert_const(x)                                                                     \
  __extension__({                                                                                  \
    SARTOR_TYPEOF_(x) sartor_v_ = (x);                                                             \
    sartor_assert_const_(&sartor_v_, #x, __FILE__, __LINE__);                                      \
  })

/** Marks a function as a handler: the unit of specialization. */
#define SARTOR_HANDLER __attribute__((annotate("sartor.handler"), used))
#define SARTOR_FOLD __attribute__((annotate("sartor.fold"), used))

#else

/** A value that is one of the listed choices, most of the time. */
#define sartor_enum(label, x, ...) (x)
/** A value that lies between lo and hi (both included), most of the time. */
#define sartor_range(label, x, lo, hi) (x)
/** A value of which nothing is known beforehand. */
#define sartor_generic(label, x) (x)
/** A condition that usually holds. Its value is the condition's: true or false. */
#define sartor_assume(label, cond) (!!(cond))
/** A call of a pure function whose popular results may be remembered: set to N, the code answers
 *  the N most frequent inputs that its profile has seen, and calls the function for the rest. The
 *  function may not have side effects; where that cannot be proved, declare it
 *  `__attribute__((pure))`. If it reads memory that may change, tie the label to an invariant
 *  (Runtime::tie()) or use sartor_fast_path_versioned(). */
#define sartor_fast_path(label, function, ...) (function(__VA_ARGS__))
/** The same with the address of an unsigned counter of 32 or 64 bits: remembered results are used
 *  only while it has the value that it had when they were computed. Who changes what the function
 *  reads increments the counter before and after the change, as a sequence lock does; once is
 *  enough if no thread calls the handler meanwhile. */
#define sartor_fast_path_versioned(label, version, function, ...)                                  \
  ((void)(version), function(__VA_ARGS__))
/** A call in whose place a generator of the program's own puts code: the one that
 *  Runtime::add_custom() knows by `kind`, a string literal. */
#define sartor_custom(label, kind, function, ...) (function(__VA_ARGS__))
/** In every variant, x must have become a constant; otherwise the variant is refused with an error
 *  that names x. Generic code ignores it. */
#define sartor_assert_const(x) ((void)(x))
#define SARTOR_HANDLER
/** Marks a function whose result depends on nothing but its arguments and memory that is declared
 *  invariant when it is called with such arguments, and that has no side effects: it may be called
 *  while a variant is made, and the call replaced by its result. Scalar arguments and result. */
#define SARTOR_FOLD

#endif

#endif
