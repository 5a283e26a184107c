/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Points: the places in a handler that may be specialized.
 *
 * Each macro is an expression with the value and the type of its argument. In ordinary native code
 * it *is* its argument. In a handler module (a file given to sartor_add_handler(), compiled with
 * SARTOR_POINTS defined) it leaves a mark that Sartor finds in the bitcode; the marks are removed
 * from the native code of that file before it is optimized, so it has no cost there either.
 *
 * A label is a string literal, unique in the program for one kind and one list of choices. Several
 * points may share a label if they agree on both: they are then set together.
 *
 * A point's type is any integer, bool, enumeration, float, double or pointer type. The argument is
 * evaluated exactly once; commas in it need parentheses around it. Choices are constant expressions
 * of the point's type. A bit-field has the type that it has in arithmetic: int, if its values fit.
 *
 * Call points (sartor_fast_path, sartor_custom) stand for a call: in native code and while they are
 * generic, they are `function(arguments...)`. The call must be a direct one, with a scalar result
 * and scalar arguments.
 *
 * sartor_blocking comes before a statement or block in which a handler waits for something outside,
 * such as input: a thread that revokes an invariant or invalidates a quasi-invariant does not wait
 * for it meanwhile.
 */
#ifndef SARTOR_POINTS_H
#define SARTOR_POINTS_H

#if defined(SARTOR_POINTS) && defined(__clang__)

#ifdef __cplusplus
#include <type_traits>
namespace sartor_points_ {
template <class T, bool = std::is_enum<T>::value> struct Number {
  using type = T;
};
template <class T> struct Number<T, true> {
  using type = typename std::underlying_type<T>::type;
};
template <class T> struct Type {
  using number = typename Number<T>::type;
  static constexpr int is_signed = __is_signed(number) ? 1 : 0;
  static constexpr int is_bool = std::is_same<number, bool>::value ? 1 : 0;
};
/* The type of +x for those types whose values C++ does not promote. */
template <class T>
typename std::enable_if<std::is_class<T>::value || std::is_union<T>::value ||
                            std::is_enum<T>::value || std::is_member_pointer<T>::value ||
                            std::is_same<T, decltype(nullptr)>::value,
                        T>::type
operator+(const T &);
/* P is the type of +x, T that of x: among these types, they differ only for a bit-field. */
template <class T, class P> struct Kept {
  static constexpr bool is_wide =
      std::is_same<T, unsigned>::value || std::is_same<T, long>::value ||
      std::is_same<T, unsigned long>::value || std::is_same<T, long long>::value ||
      std::is_same<T, unsigned long long>::value;
  static constexpr bool is_bit_field =
      is_wide && (std::is_same<P, int>::value || std::is_same<P, unsigned>::value);
  using type = typename std::conditional<is_bit_field, P, T>::type;
};
} // namespace sartor_points_
#define SARTOR_AUTO_ auto
#define SARTOR_PLAIN_(x) (x)
#define SARTOR_SIGNED_(v) (::sartor_points_::Type<decltype(v)>::is_signed)
#define SARTOR_BOOL_(v) (::sartor_points_::Type<decltype(v)>::is_bool)
#define SARTOR_KEPT_(x, v)                                                                         \
  using ::sartor_points_::operator+;                                                               \
  static_cast<typename ::sartor_points_::Kept<decltype(v), decltype(+(x))>::type>(v)
extern "C" {
#else
#define SARTOR_AUTO_ __auto_type
#define SARTOR_PLAIN_(x) ((void)0, (x))
/* 18 is the class of integers of any number of bits (_BitInt). */
#define SARTOR_BITS_(v) __builtin_choose_expr(__builtin_classify_type(v) == 18, v, 0)
#define SARTOR_SIGNED_(v)                                                                          \
  _Generic((v),                                                                                    \
      signed char: 1,                                                                              \
      char: (char)-1 < 0,                                                                          \
      short: 1,                                                                                    \
      int: 1,                                                                                      \
      long: 1,                                                                                     \
      long long: 1,                                                                                \
      default: __builtin_classify_type(v) == 18 && (__typeof__(SARTOR_BITS_(v)))-1 < 0)
#define SARTOR_BOOL_(v) _Generic((v), _Bool: 1, default: 0)
/* A value of one of these types that arithmetic converts to int or unsigned is a bit-field. */
#define SARTOR_WIDE_(v)                                                                            \
  _Generic((v),                                                                                    \
      unsigned: 1,                                                                                 \
      long: 2,                                                                                     \
      unsigned long: 2,                                                                            \
      long long: 2,                                                                                \
      unsigned long long: 2,                                                                       \
      default: 0)
#define SARTOR_WIDE_OR_0_(v, x) __builtin_choose_expr(SARTOR_WIDE_(v) != 0, x, 0)
#define SARTOR_KEPT_(x, v)                                                                         \
  enum {                                                                                           \
    sartor_p_ = _Generic(1 ? SARTOR_WIDE_OR_0_(v, (x)) : 0,                                        \
        int: SARTOR_WIDE_(v) != 0 ? 1 : 0,                                                         \
        unsigned: SARTOR_WIDE_(v) == 2 ? 2 : 0,                                                    \
        default: 0)                                                                                \
  };                                                                                               \
  __builtin_choose_expr(                                                                           \
      sartor_p_ == 1, (int)SARTOR_WIDE_OR_0_(v, v),                                                \
      __builtin_choose_expr(sartor_p_ == 2, (unsigned)SARTOR_WIDE_OR_0_(v, v), v))
#endif

/* The marks; never defined. Every argument but `value` is a constant. */
__attribute__((nothrow)) void sartor_point_(void *value, const char *label, int kind, int is_signed,
                                            int is_bool, const void *choices, unsigned count,
                                            const char *file, unsigned line);
__attribute__((nothrow)) void sartor_call_point_(void *result, const char *label, int kind,
                                                 const char *custom_kind, void *version,
                                                 unsigned version_bytes, int is_signed, int is_bool,
                                                 const char *file, unsigned line);
__attribute__((nothrow)) void sartor_assert_const_(void *value, const char *text, const char *file,
                                                   unsigned line);
__attribute__((nothrow)) void sartor_one_of_(void *value, const char *text, const char *file,
                                             unsigned line);

__attribute__((nothrow)) void *sartor_local_(void *memory, unsigned long bytes, int saved,
                                             void (*check)(void *, unsigned long, int, const char *,
                                                           unsigned),
                                             const char *file, unsigned line);
__attribute__((nothrow)) void sartor_publish_(void);

/* Defined by libsartor; null in a program without it. */
__attribute__((weak)) void sartor_check_local(void *memory, unsigned long bytes, int ends,
                                              const char *file, unsigned line);
struct sartor_blocked {
  unsigned long left, breaks;
};
__attribute__((weak, nothrow)) void sartor_begin_blocking(struct sartor_blocked *blocked,
                                                          void *frame);
__attribute__((weak, nothrow)) int sartor_end_blocking(struct sartor_blocked *blocked);
__attribute__((always_inline, unused, nothrow)) static inline void
sartor_end_blocked_(struct sartor_blocked *blocked) {
  if (sartor_end_blocking)
    sartor_end_blocking(blocked);
}

#ifdef __cplusplus
}
#endif

/* The cleanup attribute reports the end of the block, however it is left. */
#define sartor_blocking                                                                            \
  for (struct sartor_blocked sartor_b_                                                             \
       __attribute__((cleanup(sartor_end_blocked_))) = {0, 0},                                     \
       *sartor_o_ =                                                                                \
           (sartor_begin_blocking ? sartor_begin_blocking(&sartor_b_, __builtin_dwarf_cfa())       \
                                  : (void)0,                                                       \
            &sartor_b_);                                                                           \
       sartor_o_; sartor_o_ = 0)

#define SARTOR_POINT_(kind, label, choices, count)                                                 \
  sartor_point_(&sartor_v_, label, kind, SARTOR_SIGNED_(sartor_v_), SARTOR_BOOL_(sartor_v_),       \
                choices, count, __FILE__, __LINE__)

#define SARTOR_LISTED_(kind, label, x, ...)                                                        \
  __extension__({                                                                                  \
    SARTOR_AUTO_ sartor_v_ = SARTOR_PLAIN_(x);                                                     \
    static const __typeof__(sartor_v_) sartor_c_[] = {__VA_ARGS__};                                \
    SARTOR_POINT_(kind, label, sartor_c_, (unsigned)(sizeof sartor_c_ / sizeof sartor_v_));        \
    SARTOR_KEPT_(x, sartor_v_);                                                                    \
  })

#define sartor_enum(label, x, ...) SARTOR_LISTED_(1, label, x, __VA_ARGS__)
#define sartor_range(label, x, lo, hi) SARTOR_LISTED_(2, label, x, lo, hi)
#define sartor_generic(label, x)                                                                   \
  __extension__({                                                                                  \
    SARTOR_AUTO_ sartor_v_ = SARTOR_PLAIN_(x);                                                     \
    SARTOR_POINT_(3, label, (const void *)0, 0u);                                                  \
    SARTOR_KEPT_(x, sartor_v_);                                                                    \
  })
#define sartor_assume(label, cond)                                                                 \
  __extension__({                                                                                  \
    SARTOR_AUTO_ sartor_v_ = !!(cond);                                                             \
    SARTOR_POINT_(4, label, (const void *)0, 0u);                                                  \
    sartor_v_;                                                                                     \
  })
/* The call's result is stored just before the mark: this connects the two. The frontend part of
 * the plugin finds the variable by its name. */
#define SARTOR_CALL_POINT_(kind, label, custom_kind, version, version_bytes, call)                 \
  SARTOR_AUTO_ sartor_r_ = call;                                                                   \
  sartor_call_point_(&sartor_r_, label, kind, custom_kind, version, version_bytes,                 \
                     SARTOR_SIGNED_(sartor_r_), SARTOR_BOOL_(sartor_r_), __FILE__, __LINE__);      \
  sartor_r_
#define sartor_fast_path(label, function, ...)                                                     \
  __extension__({ SARTOR_CALL_POINT_(5, label, "", (void *)0, 0u, function(__VA_ARGS__)); })
#define sartor_fast_path_versioned(label, version, function, ...)                                  \
  __extension__({                                                                                  \
    SARTOR_AUTO_ sartor_n_ = &*(version);                                                          \
    SARTOR_CALL_POINT_(5, label, "", &sartor_n_, (unsigned)sizeof(*sartor_n_),                     \
                       function(__VA_ARGS__));                                                     \
  })
#define sartor_custom(label, kind, function, ...)                                                  \
  __extension__({ SARTOR_CALL_POINT_(6, label, kind, (void *)0, 0u, function(__VA_ARGS__)); })
#define sartor_assert_const(x)                                                                     \
  __extension__({                                                                                  \
    SARTOR_AUTO_ sartor_v_ = SARTOR_PLAIN_(x);                                                     \
    sartor_assert_const_(&sartor_v_, #x, __FILE__, __LINE__);                                      \
  })
#define sartor_one_of(x)                                                                           \
  __extension__({                                                                                  \
    SARTOR_AUTO_ sartor_v_ = SARTOR_PLAIN_(x);                                                     \
    sartor_one_of_(&sartor_v_, #x, __FILE__, __LINE__);                                            \
    SARTOR_KEPT_(x, sartor_v_);                                                                    \
  })

#ifdef SARTOR_CHECK_LOCALS
#define SARTOR_CHECK_LOCAL_ sartor_check_local
#else
#define SARTOR_CHECK_LOCAL_ 0
#endif
#define SARTOR_LOCAL_(pointer, bytes, saved)                                                       \
  ((__typeof__(&*(pointer)))sartor_local_((void *)(pointer), (bytes), (saved),                     \
                                          SARTOR_CHECK_LOCAL_, __FILE__, __LINE__))
#define sartor_local(pointer, bytes) SARTOR_LOCAL_(pointer, bytes, 0)
#define sartor_local_saved(pointer, bytes) SARTOR_LOCAL_(pointer, bytes, 1)
#define sartor_publish() sartor_publish_()

/** Marks a function as a handler: the unit of specialization. */
#define SARTOR_HANDLER __attribute__((annotate("sartor.handler"), used))
#define SARTOR_HANDLER_DIRECT __attribute__((annotate("sartor.direct"))) SARTOR_HANDLER
#define SARTOR_FOLD __attribute__((annotate("sartor.fold"), used))
#define SARTOR_UNORDERED __attribute__((annotate("sartor.unordered")))
/** Used together with SARTOR_FOLD, if Sartor cannot find a bound itself: behind its parameter
 *  `pointer`, an index, the function reads at most `bytes` bytes, multiplied by the argument of
 *  the parameter `count`, an index or -1; this must hold for all values of its other arguments. A
 *  server does not request calls of functions whose reads have no bound. */
#define SARTOR_FOLD_READS(pointer, bytes, count)                                                   \
  __attribute__((annotate("sartor.fold.reads", (int)(pointer), (long)(bytes), (int)(count))))

#else

/** A value that is one of the listed choices, most of the time. */
#define sartor_enum(label, x, ...) (x)
/** A value that lies between lo and hi (both included), most of the time. */
#define sartor_range(label, x, lo, hi) (x)
/** A value of which nothing is known ahead of time. */
#define sartor_generic(label, x) (x)
/** A condition that is usually true. Its value is the condition's: true or false. */
#define sartor_assume(label, cond) (!!(cond))
/** A call of a pure function whose frequent results may be remembered: set to N, the code returns
 *  the results of the N most frequent inputs in its profile, and calls the function for all
 *  others. The function must not have side effects; if that cannot be proved, declare it
 *  `__attribute__((pure))`. If it reads memory that may change, tie the label to an invariant
 *  (Runtime::tie()) or use sartor_fast_path_versioned(). */
#define sartor_fast_path(label, function, ...) (function(__VA_ARGS__))
/** The same with the address of an unsigned counter of 32 or 64 bits: remembered results are used
 *  only while the counter has the value that it had when they were computed. Code that changes
 *  the memory that the function reads increments the counter before and after the change, as a
 *  sequence lock does; once is enough if no thread calls the handler meanwhile. */
#define sartor_fast_path_versioned(label, version, function, ...)                                  \
  ((void)(version), function(__VA_ARGS__))
/** A call that a generator of the program replaces with its own code: the generator that
 *  Runtime::add_custom() registered for `kind`, a string literal. */
#define sartor_custom(label, kind, function, ...) (function(__VA_ARGS__))
/** Requires that x becomes a constant in every variant; otherwise the variant is refused with an
 *  error that names x. Generic code ignores it. */
#define sartor_assert_const(x) ((void)(x))
/** Returns `pointer`. Until the next sartor_publish(), the `bytes` bytes that it points to are
 *  accessed only by the handler, through pointers that it derives from this one: variants may
 *  keep them in registers. All of them must be readable. Pointers may be derived in any way,
 *  stored, and passed to functions. A function that receives such a pointer finds the bytes in
 *  memory. Once a pointer has been stored outside the handler's variables or passed to a function
 *  that may keep it, each call and each access through a loaded pointer also finds the bytes in
 *  memory (__attribute__((noescape)) declares that a function does not keep a parameter). The
 *  next sartor_local() on the control path, with the same number of bytes, may name other memory;
 *  earlier pointers must not be used after it. Place a sartor_publish() before calls of functions
 *  that access the memory through pointers of their own, or that are left by longjmp();
 *  exceptions need none. Has an effect in handlers and in functions inlined into them. Compiled
 *  with SARTOR_CHECK_LOCALS, variants end the process with a message if other code has changed
 *  the bytes, and other code that reads them reads 0xa5. */
#define sartor_local(pointer, bytes) ((void)(bytes), (pointer))
/** The same for an interpreter that saves the pointer where other code finds it, for example in
 *  its state. Accesses through saved pointers count as accesses by other code: a sartor_publish()
 *  must precede them. */
#define sartor_local_saved(pointer, bytes) ((void)(bytes), (pointer))
/** Allows other code to read and change the memory of sartor_local(), until the next
 *  sartor_local(). The return of the handler allows it as well. */
#define sartor_publish() ((void)0)
/** Returns x, an integer or a pointer that controls a loop over invariant memory. If a variant
 *  knows the value of x, the value is recorded. If it does not (x was loaded from memory that
 *  changes, say), x is compared with all recorded values of its type in this handler, and control
 *  continues in the code that is made for the equal one, or in generic code if none is equal. So
 *  mark a value where it is saved, and where it is loaded again. Values that are found in a table
 *  of invariant memory, by an index of 8 bits or a bounded one, need not be recorded. */
#define sartor_one_of(x) (x)
/** The next statement or block waits for something outside the program. A thread that waits
 *  there, called through a handle and not from within another handler, does not delay a thread
 *  that invalidates a quasi-invariant or revokes an invariant; it continues in generic code if
 *  that has happened meanwhile. The block may be left in any way; `break` and `continue` leave
 *  it, and no loop around it. */
#define sartor_blocking
#define SARTOR_HANDLER
/** Marks a handler that the program calls by its own name: every call of the function, from any
 *  file and through any pointer to it, goes to the active variant. */
#define SARTOR_HANDLER_DIRECT
/** Marks a handler whose results are not determined by its input: they depend on a clock, on random
 *  numbers, on addresses or on an order that is not specified. Its variants are not compared with
 *  the native code (Options::verify). */
#define SARTOR_UNORDERED
/** Marks a function whose result depends only on its arguments and on memory that is declared
 *  invariant when it is called with such arguments, and that has no side effects: it may be
 *  called while a variant is compiled, and the call replaced by its result. Arguments and result
 *  are scalars. It is called if every call of the handler would call it, whatever its input is,
 *  and never with null pointers. It must return, and not leave by longjmp(). After a fault,
 *  abort() or an exception there is no result: the variant calls it then. It runs on a stack of 1
 *  MiB, as the calling thread but in a separate process, so that getpid() differs. */
#define SARTOR_FOLD
#define SARTOR_FOLD_READS(pointer, bytes, count)

#endif

/** At file scope, after a map of a BPF object: the map's content seldom changes, and becomes part
 *  of variants once the program calls BpfRuntime::declare_invariant(). Defines
 *  `sartor_version_<map>`, a counter that every writer of the map increments before and after a
 *  change; the compiler inserts this into code of this object. sartor_fast_path_versioned() may
 *  use it. */
#define SARTOR_READ_MOSTLY(map)                                                                    \
  unsigned long long sartor_version_##map __attribute__((section(".data.sartor_versions"))) = 0

#endif
