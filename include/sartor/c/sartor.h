/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Sartor's C interface: docs/guides/c.md. Functions return SARTOR_OK or the number of an error,
 * whose details error.h gives. A failed call changes nothing. A null pointer is an error
 * (bad_argument) unless stated otherwise. Every function may be called from any thread. In a signal
 * handler, only handlers, bindings' functions, guards that the compiler has placed (watch.h) and
 * sartor_histogram_record() may be called (docs/guides/embedding.md). Texts are JSON, which json.h
 * reads; those that functions return are freed with sartor_free().
 */
#ifndef SARTOR_C_SARTOR_H
#define SARTOR_C_SARTOR_H

#include <sartor/c/error.h>
#include <sartor/c/json.h>
#include <sartor/module.h>
#include <sartor/points.h>

#ifdef __cplusplus
extern "C" {
#endif

/** "MAJOR.MINOR.PATCH" of the library. */
const char *sartor_version(void);

typedef struct sartor_runtime sartor_runtime;

/** Opens the handler modules embedded in the calling program. Free the runtime with
 *  sartor_close(). */
#define sartor_open(out) sartor_open_modules(__start_sartor_modules, __stop_sartor_modules, out)
sartor_status sartor_open_modules(const struct sartor_module *begin,
                                  const struct sartor_module *end, sartor_runtime **out);
/** The same with options (JSON): the fields of sartor::Options (options.hpp) by name, durations
 *  in seconds, e.g. `{"compile_timeout": 120, "event_log": "/tmp/log"}`. */
#define sartor_open_with(options, out)                                                             \
  sartor_open_modules_with(__start_sartor_modules, __stop_sartor_modules, options, out)
sartor_status sartor_open_modules_with(const struct sartor_module *begin,
                                       const struct sartor_module *end, const char *options,
                                       sartor_runtime **out);
/** Opens a bitcode or .ll file. */
sartor_status sartor_open_file(const char *path, sartor_runtime **out);
/** The same with options. Symbols that the file refers to are looked up among those of this
 *  program's handler modules first. */
#define sartor_open_file_with(path, options, out)                                                  \
  sartor_open_file_modules(path, __start_sartor_modules, __stop_sartor_modules, options, out)
sartor_status sartor_open_file_modules(const char *path, const struct sartor_module *begin,
                                       const struct sartor_module *end, const char *options,
                                       sartor_runtime **out);
/** No handler may run or be called any more. Null is allowed. */
void sartor_close(sartor_runtime *runtime);

/** A plain function pointer that never changes and calls the active variant. Cast it to the
 *  handler's own type. Valid until sartor_close(). */
sartor_status sartor_handler(sartor_runtime *runtime, const char *name, void (**out)(void));

/** The properties of a type that decide how it is passed: `SARTOR_FORM(unsigned long)`. Needs
 *  gcc or clang. */
typedef struct {
  int type_class; /**< The compiler's number of the class of the type. */
  size_t bytes;
} sartor_form;
#define SARTOR_FORM(type) {__builtin_classify_type(*(type *)0), sizeof(type)}
/** The form of the result of a function that returns nothing. */
#define SARTOR_NO_RESULT {0, 0}
/** sartor_handler() with a check of the cast: fails with wrong_signature if the number, sizes
 *  or kinds of the handler's parameters differ from `forms`, the result's first. */
sartor_status sartor_handler_checked(sartor_runtime *runtime, const char *name,
                                     const sartor_form *forms, size_t count, void (**out)(void));

/** 0 with SARTOR=off, and without a compiler; also for null. */
int sartor_active(const sartor_runtime *runtime);
/** Nonzero while the runtime is inactive because its server is away, full or refusing: it
 *  becomes active once the server answers. 0 for null. Thread-safe. */
int sartor_opening(const sartor_runtime *runtime);
/** The names of all handlers: a list. */
sartor_status sartor_handlers(const sartor_runtime *runtime, char **json);
/** Identifies the handler modules and the kind of this machine, see Runtime::content(). Not
 *  JSON. */
sartor_status sartor_content(const sartor_runtime *runtime, char **text);
/** Counters of the runtime: the fields of sartor::Statistics (runtime.hpp) by name. */
sartor_status sartor_statistics(const sartor_runtime *runtime, char **json);
/** Writes a line to the event log, if there is one; `fields` is a JSON object. */
sartor_status sartor_log_event(const sartor_runtime *runtime, const char *kind, const char *fields);

/** Activates a configuration (JSON, e.g. `{"B":16}`); `{}` is the generic code. Returns when
 *  the fully optimized variants are active. */
sartor_status sartor_specialize(sartor_runtime *runtime, const char *configuration);
/** The same; `*json` receives a list with the fields of sartor::VariantInfo of each variant by
 *  name, `compile_time` in seconds. `remarks` list requests that had no effect on the code,
 *  with reasons; `fold_report` the effect of invariant memory (fold_report.hpp). */
sartor_status sartor_specialize_with_report(sartor_runtime *runtime, const char *configuration,
                                            char **json);
/** The same in the background; after a failure the active variants stay active, and the event
 *  log has the error. */
sartor_status sartor_specialize_async(sartor_runtime *runtime, const char *configuration);

/** A request under way. Free it with sartor_future_free(). */
typedef struct sartor_future sartor_future;
/** Like sartor_specialize_async(), with a future for the result. */
sartor_status sartor_specialize_later(sartor_runtime *runtime, const char *configuration,
                                      sartor_future **out);
/** Compiles a configuration into the cache, in the background, without activating it. */
sartor_status sartor_prepare(sartor_runtime *runtime, const char *configuration,
                             sartor_future **out);
/** Waits at most so many seconds until the request has completed or failed; 1 if it has. 0
 *  seconds only polls. */
int sartor_future_wait(const sartor_future *future, double seconds);
/** Waits, and returns a report as sartor_specialize_with_report() does; `json` may be null.
 *  Repeated calls return the same. */
sartor_status sartor_future_get(const sartor_future *future, char **json);
/** A request under way continues. Null is allowed. */
void sartor_future_free(sartor_future *future);

/** The active configuration, or the last requested one, which is being compiled. */
sartor_status sartor_configuration(const sartor_runtime *runtime, char **configuration);
/** Checks whether a configuration can be activated: SARTOR_OK, or the error that
 *  sartor_specialize() would find before it compiles anything. */
sartor_status sartor_check(const sartor_runtime *runtime, const char *configuration);
/** The settings of a configuration that concern one handler. */
sartor_status sartor_restrict(const sartor_runtime *runtime, const char *configuration,
                              const char *handler, char **out);
/** Readable text: `{B=16,N=64|256}`. The same for equal configurations. Not JSON. */
sartor_status sartor_configuration_text(const char *configuration, char **text);

/** Kind of an argument of a handler: bound, or left to the callers of the binding. */
enum sartor_argument_kind {
  SARTOR_ARGUMENT_UNBOUND,
  SARTOR_ARGUMENT_INTEGER,
  SARTOR_ARGUMENT_FLOATING,
  SARTOR_ARGUMENT_POINTER,
  SARTOR_ARGUMENT_OBJECT
};
typedef struct {
  enum sartor_argument_kind kind;
  union {
    long long integer; /**< Any integer, bool or enumeration. */
    double floating;
    const void *pointer;
    struct {
      const void *address;
      size_t bytes;
    } object; /**< A structure that is passed by value, or any other object: read by sartor_bind().
               */
  } value;
} sartor_argument;
typedef struct sartor_binding sartor_binding;

/** A handler with some arguments fixed; `arguments` has one for each parameter that it has in
 *  the source, a member function's object first. The variant is compiled in the background and
 *  shared with bindings of equal arguments. Free it with sartor_release(). */
sartor_status sartor_bind(sartor_runtime *runtime, const char *handler,
                          const sartor_argument *arguments, size_t count, sartor_binding **out);
/** Binds remaining arguments of a binding: `arguments` has one for each parameter that is not
 *  bound. The configuration stays that of the first; if possible, the code is compiled from the
 *  first binding's code. The first may be released. Free it with sartor_release(). */
sartor_status sartor_bind_further(sartor_binding *binding, const sartor_argument *arguments,
                                  size_t count, sartor_binding **out);
/** A plain function that takes the arguments that are not bound. Cast it to its type. Valid
 *  until sartor_release(). Fails if, without the bound arguments, a structure would be passed
 *  in registers which the handler expects in memory, having no registers left for it. */
sartor_status sartor_binding_function(sartor_binding *binding, void (**out)(void));
/** Waits until the binding's variant is active; returns the error if it cannot be made. */
sartor_status sartor_binding_wait(sartor_binding *binding);
/** The same; describes the variant as sartor_specialize_with_report() does, as an object. */
sartor_status sartor_binding_wait_with_report(sartor_binding *binding, char **json);
/** Nonzero if sartor_binding_wait() returns at once: the variant is active, or cannot be made,
 *  in which case sartor_binding_wait() returns the error. Takes some nanoseconds and never
 *  blocks, so handlers may call it. 0 for null. */
int sartor_binding_ready(const sartor_binding *binding);
/** No thread may be in the binding's function any more. May be called after sartor_close(): the
 *  code of the binding stays until then. Null is allowed. */
void sartor_release(sartor_binding *binding);
/** See Runtime::limit_bindings(). */
sartor_status sartor_limit_bindings(sartor_runtime *runtime, const char *handler, size_t most,
                                    const unsigned *least_selective_first, size_t count);

typedef struct sartor_invariant sartor_invariant;

/** Declares that memory does not change until sartor_invalidate(). */
sartor_status sartor_invariant_declare(const void *memory, size_t size, sartor_invariant **out);
/** Adds memory to an invariant. */
sartor_status sartor_invariant_add(sartor_invariant *invariant, const void *memory, size_t size);
/** Adds a part of an object, which is reached through pointers to the object, wherever the part
 *  begins: to `*invariant`, or, if that is null, to a new one. */
sartor_status sartor_invariant_add_part(const void *object, size_t object_size, const void *part,
                                        size_t size, sartor_invariant **invariant);
/** A part of an object, which is reached through pointers to the object. */
typedef struct {
  const void *object;
  size_t object_size;
  const void *part; /**< Within the object; the same address for all of it. */
  size_t size;
} sartor_part;
/** Declares several pieces of memory as one invariant: all, or none. */
sartor_status sartor_invariant_declare_parts(const sartor_part *parts, size_t count,
                                             sartor_invariant **out);
/** 0 once the invariant was revoked; also for null. */
int sartor_invariant_valid(const sartor_invariant *invariant);
/** The number of the invariant, as in the event log; 0 for null. */
uint64_t sartor_invariant_number(const sartor_invariant *invariant);
/** Revokes the invariant, and frees it: no code that depends on it is active or running any
 *  more when this returns. Not from within a handler: that fails and changes nothing, unless
 *  the invariant is reusable. Null is allowed. */
sartor_status sartor_invalidate(sartor_invariant *invariant);
/** Revokes the invariant without waiting, also within a handler: no call that begins after this
 *  has returned runs code that depends on it. Calls that began before, including the caller's,
 *  may be in such code until they return. sartor_invalidate() must still be called to free it. */
sartor_status sartor_invalidate_later(sartor_invariant *invariant);
/** 1 once no thread is inside such code, and no compiling thread reads the memory; else 0, also
 *  for null. */
int sartor_reusable(const sartor_invariant *invariant);
/** Declares that the results of a fast path are valid as long as the invariant is. */
sartor_status sartor_tie(sartor_runtime *runtime, const char *label,
                         const sartor_invariant *invariant);

/** Memory that usually does not change (sartor::QuasiInvariant, quasi_invariant.hpp). */
typedef struct sartor_quasi_invariant sartor_quasi_invariant;
typedef struct {
  /** Returns whether the quasi-invariant is valid, apart from writes: called before code is
   *  built on it. May be null. */
  int (*validate)(void *context);
  /** Called by a writer before it stores `size` bytes at `address` (null for
   *  sartor_begin_write()). Nonzero: the write is refused, and skipped. May be null. */
  int (*refuse)(void *context, void *address, size_t size);
  /** Called by a writer before it stores. Nonzero: the program has reacted in another way, so
   *  that the quasi-invariant stays valid; the write is skipped. 0: it is invalidated. Must be
   *  null if `refuse` is set; may be null. */
  int (*reinforce)(void *context, void *address, size_t size);
  void *context;                     /**< Passed to these functions. */
  int deferred;                      /**< Nonzero: writers do not wait for calls under way. */
  double back_off, longest_back_off; /**< Seconds; 0 for the defaults of the C++ interface. */
  double check_every;                /**< Seconds; 0 for never. */
  double hold_callers; /**< Maximum time in seconds for which calls wait for better code; 0: they do
                          not wait. */
  int protect_pages; /**< Nonzero: a write to its pages invalidates it, by any writer; `refuse` and
                        `reinforce` cannot prevent it. */
} sartor_quasi_invariant_options;
/** `options` may be null. Free it with sartor_quasi_invariant_free(). */
sartor_status sartor_quasi_invariant_make(const char *name,
                                          const sartor_quasi_invariant_options *options,
                                          sartor_quasi_invariant **out);
/** The quasi-invariant about a variable that is declared in a file of declarations, by its name
 *  there; parts cannot be added. Free the handle with sartor_quasi_invariant_free(); the
 *  quasi-invariant itself stays. */
sartor_status sartor_quasi_invariant_declared(const char *name, sartor_quasi_invariant **out);
/** Adds a part of an object, which is reached through pointers to the object. */
sartor_status sartor_quasi_invariant_add_part(sartor_quasi_invariant *quasi_invariant,
                                              const void *object, size_t object_size,
                                              const void *part, size_t size);
/** Valid as long as the quasi-invariant; null for null. */
const char *sartor_quasi_invariant_name(const sartor_quasi_invariant *quasi_invariant);
/** 1 while variants may be built on it; else 0, also for null. */
int sartor_quasi_invariant_valid(const sartor_quasi_invariant *quasi_invariant);
/** Waits at most so many seconds until it is valid; 1 if it is. */
int sartor_quasi_invariant_wait(const sartor_quasi_invariant *quasi_invariant, double seconds);
/** A write guard, see sartor::Write: the memory may be written until sartor_end_write(). Null:
 *  do not write; also if `quasi_invariant` is null, which sets the last error. Allocates
 *  memory, so it must not be called in signal handlers. */
typedef struct sartor_write sartor_write;
sartor_write *sartor_begin_write(sartor_quasi_invariant *quasi_invariant);
/** Null is allowed. */
void sartor_end_write(sartor_write *write);
/** Counters as JSON: the fields of sartor::QuasiInvariantFigures. Free it with sartor_free(). */
sartor_status sartor_quasi_invariant_figures(const sartor_quasi_invariant *quasi_invariant,
                                             char **json);
/** Ends the quasi-invariant: its memory may be freed when this returns, unless it is called
 *  within a handler. Null is allowed. */
void sartor_quasi_invariant_free(sartor_quasi_invariant *quasi_invariant);

/** `passes` is in LLVM's textual form, `plugins` a null-terminated list of paths or null. */
sartor_status sartor_customize_pipeline(sartor_runtime *runtime, const char *passes,
                                        const char *const *plugins);

/** Replaces the constraints between points, given as JSON, of which any part may be omitted:
 *  `{"relations":["Ti * Tj <= 4096"],"conditions":{"depth":{"mode":[2,3]}},
 *  "forbidden":[{"B":64,"N":64}]}`. `depth` is set only if `mode` is 2 or 3. `{}` removes all
 *  constraints. Active variants stay active. */
sartor_status sartor_constrain(sartor_runtime *runtime, const char *constraints);

/** The points and the constraints. */
sartor_status sartor_space(sartor_runtime *runtime, char **json);

/** Instruments points: `{"B":1,"lookup":100}` counts the input of B every time, and of `lookup`
 *  every hundredth time, on average. Replaces earlier instrumentation; `{}` switches it off. */
sartor_status sartor_instrument(sartor_runtime *runtime, const char *every);
/** The profile since the start or the last sartor_clear_profile(), plus loaded profiles. */
sartor_status sartor_profile(sartor_runtime *runtime, char **json);
/** Adds a result of sartor_profile() of this program, made elsewhere or earlier. */
sartor_status sartor_load_profile(sartor_runtime *runtime, const char *json);
/** Clears the profile. Calls under way may be counted before or after. */
sartor_status sartor_clear_profile(sartor_runtime *runtime);
/** Merges two profiles of one program. */
sartor_status sartor_merge_profiles(const char *one, const char *other, char **json);
/** The share of all executions, 0 to 1, that have one of the `top` most frequent inputs of a
 *  point. */
sartor_status sartor_profile_share(const char *profile, const char *label, size_t top,
                                   double *share);

/** The counters of all runtimes, explorers and quasi-invariants of the process as OpenMetrics
 *  text, see sartor::metrics(). Free it with sartor_free(). */
sartor_status sartor_metrics(char **text);

/** Null is allowed. */
void sartor_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
