/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Errors of the C interface: the counterpart of error.hpp. Functions return SARTOR_OK or the number
 * of an error; the functions below return details of a thread's last error.
 */
#ifndef SARTOR_C_ERROR_H
#define SARTOR_C_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/** SARTOR_OK, or a sartor_error. */
typedef int sartor_status;

/** The numbers never change. */
enum sartor_error {
  SARTOR_OK = 0,
  SARTOR_INTERNAL_ERROR = -1, /**< No error below, e.g. exhausted memory. */
  SARTOR_ERROR_UNKNOWN_LABEL =
      1, /**< A configuration names a label that the space does not have. */
  SARTOR_ERROR_VALUE_OUTSIDE_CHOICES =
      2, /**< A value is not among an enum's choices, or outside a range. */
  SARTOR_ERROR_BAD_VALUE_TYPE = 3, /**< A value does not fit the type of its point. */
  SARTOR_ERROR_CONFLICTING_LABEL =
      4, /**< Two points share a label but differ in kind, type or choices. */
  SARTOR_ERROR_LABEL_NOT_CONSTANT =
      5, /**< A point's label or choices are not compile-time constants. */
  SARTOR_ERROR_POINT_NOT_SPECIALIZABLE =
      6, /**< The shape of the code around the point cannot be specialized. */
  SARTOR_ERROR_NO_HANDLER_MODULE = 7, /**< The program has no handler module embedded. */
  SARTOR_ERROR_BAD_BITCODE = 8,       /**< Bitcode is truncated or damaged. */
  SARTOR_ERROR_WRONG_LLVM_VERSION =
      9,                             /**< Bitcode was written by a newer LLVM than the runtime's. */
  SARTOR_ERROR_WRONG_TARGET = 10,    /**< Bitcode is for another target or data layout. */
  SARTOR_ERROR_UNKNOWN_HANDLER = 11, /**< No handler has that name or address. */
  SARTOR_ERROR_MISSING_SYMBOL =
      12, /**< A symbol that a handler uses has no address in the program. */
  SARTOR_ERROR_UNBOUND_GLOBAL =
      13, /**< Global state of a handler has no native definition to bind to. */
  SARTOR_ERROR_NOT_CONSTANT = 14, /**< A sartor_assert_const(x) did not become constant. */
  SARTOR_ERROR_BAD_PIPELINE =
      15, /**< A pass pipeline cannot be parsed or a pass plugin not loaded. */
  SARTOR_ERROR_BROKEN_BY_PASS = 16, /**< A user's pass left invalid IR. */
  SARTOR_ERROR_COMPILE_TIMEOUT =
      17, /**< A compilation took longer than the option `compile_timeout`. */
  SARTOR_ERROR_COMPILE_FAILED = 18, /**< LLVM gave up; the message says why. */
  SARTOR_ERROR_TOO_MANY_BODIES =
      19,                          /**< Settings with several values would need too many bodies. */
  SARTOR_ERROR_BAD_JSON = 20,      /**< A configuration's text is not valid. */
  SARTOR_ERROR_FILE_ERROR = 21,    /**< A file cannot be read or written. */
  SARTOR_ERROR_BAD_OBJECTIVE = 22, /**< An objective or an exploration's options make no sense. */
  SARTOR_ERROR_IMPURE_FUNCTION = 23, /**< A fast path's function has side effects. */
  SARTOR_ERROR_UNTIED_FAST_PATH =
      24, /**< A fast path's results may become stale, and nothing reports when. */
  SARTOR_ERROR_BAD_INVARIANT =
      25, /**< An invariant's memory is not valid, or the invariant was revoked. */
  SARTOR_ERROR_CALLED_FROM_HANDLER =
      26, /**< A function that waits for handlers to end was called from within one. */
  SARTOR_ERROR_UNREADABLE_MEMORY = 27, /**< Memory that was declared invariant cannot be read. */
  SARTOR_ERROR_NO_PROFILE = 28,        /**< A fast path was set, but nothing has been seen at it. */
  SARTOR_ERROR_BAD_BINDING = 29,       /**< Bound arguments do not fit the handler's parameters. */
  SARTOR_ERROR_UNKNOWN_CUSTOM_KIND = 30, /**< No generator was added for a custom point's kind. */
  SARTOR_ERROR_BAD_GENERATOR =
      31, /**< A generator threw, or its text is not the code of the point. */
  SARTOR_ERROR_GENERATED_INVALID_IR =
      32, /**< A generator's LLVM IR is invalid; the message is from LLVM. */
  SARTOR_ERROR_NO_CLANG =
      33, /**< A generator gives C source, and there is no clang to compile it. */
  SARTOR_ERROR_WRONG_PROFILE = 34, /**< A profile was made with another program. */
  SARTOR_ERROR_FORBIDDEN_CONFIGURATION =
      35,                           /**< A configuration violates a constraint of the space. */
  SARTOR_ERROR_BAD_CONSTRAINT = 36, /**< A constraint is invalid, or names an unknown label. */
  SARTOR_ERROR_BAD_STRATEGY =
      37, /**< A strategy threw, or proposed a configuration outside of the space. */
  SARTOR_ERROR_WRONG_JOURNAL = 38, /**< A journal of trials belongs to another exploration. */
  SARTOR_ERROR_STORE_UNREACHABLE =
      39,                     /**< A study's store or a shared cache cannot be reached or used. */
  SARTOR_ERROR_BAD_ELF = 40,  /**< A program or library is damaged, or of an unknown kind. */
  SARTOR_ERROR_BAD_PASS = 41, /**< A pass of the loader cannot be loaded, ordered or run. */
  SARTOR_ERROR_BAD_SETTINGS = 42, /**< A line of the loader's configuration is wrong. */
  SARTOR_ERROR_BAD_PLAN = 43, /**< The prepared plan of the loader for a program cannot be used. */
  SARTOR_ERROR_WRONG_SIGNATURE =
      44, /**< A handler's parameters or result differ from those given by the caller. */
  SARTOR_ERROR_NO_THREAD = 45,    /**< A thread that Sartor needs cannot be started. */
  SARTOR_ERROR_FORKED = 46,       /**< The process was forked meanwhile, or at the wrong time. */
  SARTOR_ERROR_BAD_ARGUMENT = 47, /**< A null pointer where a value is required. */
  SARTOR_ERROR_ALREADY_EXPLORING = 48, /**< Another explorer works on the same runtime. */
  SARTOR_ERROR_NO_COMPILER = 49,   /**< libsartor-compiler is missing, or is from another build. */
  SARTOR_ERROR_COMPILER_LOST = 50, /**< The out-of-process compiler, or the server, went away. */
  SARTOR_ERROR_SERVER_REFUSED =
      51, /**< The server does not answer such a request, or not this client's. */
  SARTOR_ERROR_BAD_BPF_OBJECT = 52, /**< A BPF object is damaged, or does not fit the kernel. */
  SARTOR_ERROR_REFUSED_BY_VERIFIER =
      53, /**< Linux refuses a program; the message has the last lines of its log. */
  SARTOR_ERROR_NOT_PERMITTED = 54, /**< This process may not do that in the kernel. */
  SARTOR_ERROR_KERNEL_LACKS = 55,  /**< This kernel is too old, or lacks a needed option. */
  SARTOR_ERROR_BAD_ATTACHMENT =
      56, /**< An attachment point in the kernel is taken, is gone, or takes no such program. */
  SARTOR_ERROR_BAD_CHOICES =
      57, /**< A point has no choices, or a range whose end is before its beginning. */
  SARTOR_ERROR_QUARANTINED =
      58, /**< A variant differed from the native code, or crashed, on this machine. */
  SARTOR_ERROR_COMPILE_MEMORY =
      59, /**< A compilation took more memory than the option `compile_memory_bytes`. */
  SARTOR_ERROR_CLOSING =
      60, /**< The runtime is closing, or the program exiting, before the code is ready. */
};

/** "unknown_label" for SARTOR_ERROR_UNKNOWN_LABEL, "ok", "internal_error"; null for an unknown
 *  number. Static. */
const char *sartor_error_name(sartor_status status);

/* Details of the last failed call of this thread. All texts are valid until the thread's next
 * failure, and empty before the first. */

/** One line: `unknown_label: "Bx": ... (remedy)`. */
const char *sartor_last_error(void);
/** The number of the error; SARTOR_OK before the first. */
sartor_status sartor_last_error_code(void);
/** The label, file or symbol concerned; empty for SARTOR_INTERNAL_ERROR. */
const char *sartor_last_error_subject(void);
/** The description of the error. */
const char *sartor_last_error_message(void);
/** The suggested fix; empty for SARTOR_INTERNAL_ERROR. */
const char *sartor_last_error_remedy(void);

#ifdef __cplusplus
}
#endif

#endif
