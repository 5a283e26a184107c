/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Sartor's C interface: docs/c.md. Functions return SARTOR_OK or the number of an error, of which
 * error.h tells more. A failed call changes nothing. A null pointer is an error (bad_argument)
 * where nothing else is said. Every function may be called from any thread; in a signal handler,
 * handlers, bindings' functions, guards that the compiler has placed (watch.h) and
 * sartor_histogram_record() alone (docs/processes.md). Texts are JSON, which json.h reads; those
 * that are given out are freed with sartor_free().
 */
#ifndef SARTOR_SARTOR_H
#define SARTOR_SARTOR_H

#include <sartor/error.h>
#include <sartor/json.h>
#include <sartor/module.h>
#include <sartor/points.h>

#ifdef __cplusplus
extern "C" {
#endif

/** "MAJOR.MINOR.PATCH" of the library. */
const char *sartor_version(void);

typedef struct sartor_runtime sartor_runtime;

/** The runtime of the handler modules embedded in the calling program. Free it with
 *  sartor_close(). */
#define sartor_open(out) sartor_open_modules(__start_sartor_modules, __stop_sartor_modules, out)
sartor_status sartor_open_modules(const struct sartor_module *begin,
                                  const struct sartor_module *end, sartor_runtime **out);
/** The same with options (JSON): the fields of sartor::Options (options.hpp) by name, durations in
 *  seconds, e.g. `{"compile_timeout": 120, "event_log": "/tmp/log"}`. */
#define sartor_open_with(options, out)                                                             \
  sartor_open_modules_with(__start_sartor_modules, __stop_sartor_modules, options, out)
sartor_status sartor_open_modules_with(const struct sartor_module *begin,
                                       const struct sartor_module *end, const char *options,
                                       sartor_runtime **out);
/** The runtime of a bitcode or .ll file. */
sartor_status sartor_open_file(const char *path, sartor_runtime **out);
/** The same with options. What the file refers to is looked up among the symbols of this program's
 *  handler modules first. */
#define sartor_open_file_with(path, options, out)                                                  \
  sartor_open_file_modules(path, __start_sartor_modules, __stop_sartor_modules, options, out)
sartor_status sartor_open_file_modules(const char *path, const struct sartor_module *begin,
                                       const struct sartor_module *end, const char *options,
                                       sartor_runtime **out);
/** No handler may run or be called any more. Null is allowed. */
void sartor_close(sartor_runtime *runtime);

/** A plain function pointer that never changes and leads to the variant in force. Cast it to the
 *  handler's own type. Valid until sartor_close(). */
sartor_status sartor_handler(sartor_runtime *runtime, const char *name, void (**out)(void));

/** What of a type decides how it is passed: `SARTOR_FORM(unsigned long)`. Needs gcc or clang. */
typedef struct {
  int type_class; /**< As the compiler counts classes of types. */
  size_t bytes;
} sartor_form;
#define SARTOR_FORM(type) {__builtin_classify_type(*(type *)0), sizeof(type)}
/** Of a function that returns nothing. */
#define SARTOR_NO_RESULT {0, 0}
/** sartor_handler() for who wants to know whether the cast will be right: fails with
 *  wrong_signature if the handler has another number of parameters, or sizes and kinds of them,
 *  than `forms` says, the result's first. */
sartor_status sartor_handler_checked(sartor_runtime *runtime, const char *name,
                                     const sartor_form *forms, size_t count, void (**out)(void));

/** 0 with SARTOR=off, and where there is no compiler; also for null. */
int sartor_active(const sartor_runtime *runtime);
/** Not 0 while the runtime is inactive because its server is away, full or refusing: it becomes
 *  active once the server answers. 0 for null. Thread-safe. */
int sartor_opening(const sartor_runtime *runtime);
/** The names of all handlers: a list. */
sartor_status sartor_handlers(const sartor_runtime *runtime, char **json);
/** Names the handler modules and the kind of this machine, as Runtime::content(). Not JSON. */
sartor_status sartor_content(const sartor_runtime *runtime, char **text);
/** What the runtime has done so far: the fields of sartor::Statistics (runtime.hpp) by name. */
sartor_status sartor_statistics(const sartor_runtime *runtime, char **json);
/** Writes a line to the event log, if there is one; `fields` is a JSON object. */
sartor_status sartor_log_event(const sartor_runtime *runtime, const char *kind, const char *fields);

/** Puts a configuration (JSON, e.g. `{"B":16}`) in force; `{}` is the generic code. Returns when
 *  the fully optimised variants are in force. */
sartor_status sartor_specialize(sartor_runtime *runtime, const char *configuration);
/** The same; what was made goes to `*json`: a list with the fields of sartor::VariantInfo of each
 * variant by name, `compile_time` in seconds. `remarks` say what was asked for and changed nothing
 * in the code, and why; `folded` what promised memory came to (folded.hpp). */
sartor_status sartor_specialize_and_tell(sartor_runtime *runtime, const char *configuration,
                                         char **json);
/** The same in the background; a failure leaves what is in force and goes to the event log. */
sartor_status sartor_specialize_async(sartor_runtime *runtime, const char *configuration);

/** What is being made. Free it with sartor_future_free(). */
typedef struct sartor_future sartor_future;
/** sartor_specialize_async() for who wants to know what has come of it. */
sartor_status sartor_specialize_later(sartor_runtime *runtime, const char *configuration,
                                      sartor_future **out);
/** Compiles a configuration into the cache, in the background, without putting it in force. */
sartor_status sartor_prepare(sartor_runtime *runtime, const char *configuration,
                             sartor_future **out);
/** Waits until it is made, or has failed, for so many seconds; 1 if it has. 0 only looks. */
int sartor_future_wait(const sartor_future *future, double seconds);
/** Waits, and tells as sartor_specialize_and_tell() does; `json` may be null. Each time the same.
 */
sartor_status sartor_future_get(const sartor_future *future, char **json);
/** What is under way goes on. Null is allowed. */
void sartor_future_free(sartor_future *future);

/** What is in force, or was asked for last and is being compiled. */
sartor_status sartor_configuration(const sartor_runtime *runtime, char **configuration);
/** Whether a configuration can be put in force: SARTOR_OK, or what specialize() would find in it
 *  before it makes anything. */
sartor_status sartor_check(const sartor_runtime *runtime, const char *configuration);
/** The settings of a configuration that concern one handler. */
sartor_status sartor_restrict(const sartor_runtime *runtime, const char *configuration,
                              const char *handler, char **out);
/** As people read it: `{B=16,N=64|256}`. The same for equal configurations. Not JSON. */
sartor_status sartor_configuration_text(const char *configuration, char **text);

/** An argument of a handler that is bound, or left to the callers of the binding. */
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
    } object; /**< A structure that is passed by value, or any other: read by sartor_bind(). */
  } value;
} sartor_argument;
typedef struct sartor_binding sartor_binding;

/** A handler with some arguments fixed; `arguments` has one for each parameter that it has in the
 *  source, a member function's object first. The variant is made in the background and shared with
 * bindings of equal arguments. Free it with sartor_release(). */
sartor_status sartor_bind(sartor_runtime *runtime, const char *handler,
                          const sartor_argument *arguments, size_t count, sartor_binding **out);
/** Binds what a binding has left: `arguments` has one for each parameter that is not bound. The
 *  configuration stays that of the first; code is made from what was made of the first, where that
 *  can be. The first may be released. Free it with sartor_release(). */
sartor_status sartor_bind_further(sartor_binding *binding, const sartor_argument *arguments,
                                  size_t count, sartor_binding **out);
/** A plain function that takes the arguments that are not bound. Cast it to its type. Valid until
 *  sartor_release(). Fails if, without those that are bound, a structure among them would be passed
 *  in registers which the handler expects in memory, having no registers left for it. */
sartor_status sartor_binding_function(sartor_binding *binding, void (**out)(void));
/** Waits until the binding's variant is in force; tells why if it cannot be made. */
sartor_status sartor_binding_wait(sartor_binding *binding);
/** The same; the variant is told of as by sartor_specialize_and_tell(), as an object. */
sartor_status sartor_binding_wait_and_tell(sartor_binding *binding, char **json);
/** Not 0 once sartor_binding_wait() has nothing to wait for any more: the variant is in force, or
 *  cannot be made, which that tells. Takes some nanoseconds, and waits for nobody, so it may be
 *  asked within handlers. 0 for null. */
int sartor_binding_ready(const sartor_binding *binding);
/** No thread may be in the binding's function any more. May come after sartor_close(): what the
 *  binding needs stays until then. Null is allowed. */
void sartor_release(sartor_binding *binding);
/** As Runtime::limit_bindings(). */
sartor_status sartor_limit_bindings(sartor_runtime *runtime, const char *handler, size_t most,
                                    const unsigned *least_telling_first, size_t count);

typedef struct sartor_invariant sartor_invariant;

/** Promises that memory does not change until sartor_invalidate(). */
sartor_status sartor_promise(const void *memory, size_t size, sartor_invariant **out);
/** Promises more memory along with it. */
sartor_status sartor_promise_add(sartor_invariant *invariant, const void *memory, size_t size);
/** Promises a part of an object, to which pointers into the object lead, wherever the part begins:
 *  along with what `*invariant` promises, or, if that is null, as a new one. */
sartor_status sartor_promise_part(const void *object, size_t object_size, const void *part,
                                  size_t size, sartor_invariant **invariant);
/** A piece of an object, to which pointers into the object lead. */
typedef struct {
  const void *object;
  size_t object_size;
  const void *part; /**< Within the object; the same address for all of it. */
  size_t size;
} sartor_part;
/** Promises several pieces of memory as one promise: all, or none. */
sartor_status sartor_promise_parts(const sartor_part *parts, size_t count, sartor_invariant **out);
/** 0 once it was taken back; also for null. */
int sartor_holds(const sartor_invariant *invariant);
/** The number of the promise, as the event log has it; 0 for null. */
uint64_t sartor_promise_number(const sartor_invariant *invariant);
/** Takes the promise back, and frees it: no code built on it is in force or running any more when
 *  this returns. Not from within a handler: that fails and changes nothing, unless the invariant is
 *  reusable. Null is allowed. */
sartor_status sartor_invalidate(sartor_invariant *invariant);
/** Takes the promise back without waiting, within a handler too: no call that begins after this has
 *  returned runs code built on it. Calls that began before, that of the caller among them, may be
 *  in such code until they return. sartor_invalidate() still has to free it. */
sartor_status sartor_invalidate_later(sartor_invariant *invariant);
/** 1 once nobody is inside such code, or reads the memory on a compiling thread; else 0,
 *  also for null. */
int sartor_reusable(const sartor_invariant *invariant);
/** The results of a fast path hold as long as the invariant does. */
sartor_status sartor_tie(sartor_runtime *runtime, const char *label,
                         const sartor_invariant *invariant);

/** How contexts of a handler are collected, and by whom: see sartor_do_customize(). */
typedef struct {
  const char *handler;
  size_t parameters; /**< That it has in the source. */
  /** Asked within sartor_do_customize(), on its thread: says what the arguments are in a context;
   *  all are unbound before. What the context promises not to change goes to `*promised`, which is
   *  null before (sartor_promise(), sartor_promise_part()), and is the token's from then on. Not 0:
   *  there is nothing to customize; what was said is forgotten, and the token stands for generic
   *  code. */
  int (*collect)(void *context, sartor_argument *arguments, sartor_invariant **promised);
} sartor_customizer;
/** Stands for a context; 0 never does. */
typedef uint64_t sartor_token;

/** Customizes a handler to a context as it is now: in the background, shared with equal contexts,
 *  and with what was made for objects that are alike; no more versions than sartor_limit_bindings()
 *  allows. `customizer` need not outlive the call. Thread-safe, as what follows is. */
sartor_status sartor_do_customize(sartor_runtime *runtime, const sartor_customizer *customizer,
                                  void *context, sartor_token *out);
/** A plain function that takes the arguments that are not bound: generic until its code is there.
 *  The same each time, valid until the token is cancelled. Fails with bad_argument for a token that
 *  was cancelled. */
sartor_status sartor_customized(sartor_token token, void (**out)(void));
/** Takes back what the context has promised, and gives the function back: no thread may be in it
 * any more, nor this be called within a handler: that fails and changes nothing. */
sartor_status sartor_cancel(sartor_token token);

/** A fact: memory that usually does not change (sartor::QuasiInvariant, quasi_invariant.hpp). */
typedef struct sartor_fact sartor_fact;
typedef struct {
  /** Whether the fact holds, beyond that nobody writes; asked before code is built on it. Or null.
   */
  int (*holds)(void *context);
  /** Asked by a writer before it stores `size` bytes at `address` (null for sartor_begin_write()).
   *  Not 0: the write is refused, and left out. Or null. */
  int (*refuse)(void *context, void *address, size_t size);
  /** The same. Not 0: the program has done otherwise, so that the fact stays true; the write is
   * left out. 0: the fact breaks. Or null, as it must be with `refuse`. */
  int (*reinforce)(void *context, void *address, size_t size);
  void *context;                     /**< For these. */
  int deferred;                      /**< Not 0: writers do not wait for calls under way. */
  double back_off, longest_back_off; /**< Seconds; 0 for what the C++ interface has. */
  double check_every;                /**< Seconds; 0 for never. */
  double hold_callers; /**< Seconds for which calls wait for better code at most; 0: they do not. */
  int protect_pages;   /**< Not 0: writes to its pages break it, by whomever; without an answer. */
} sartor_fact_options;
/** `options` may be null. Free it with sartor_drop_fact(). */
sartor_status sartor_make_fact(const char *name, const sartor_fact_options *options,
                               sartor_fact **out);
/** The fact about a variable that was declared aside from the source, by its name there; parts
 *  cannot be added. Free it with sartor_drop_fact(), after which it is there as before. */
sartor_status sartor_declared_fact(const char *name, sartor_fact **out);
/** Adds a part of an object, to which pointers into the object lead. */
sartor_status sartor_fact_part(sartor_fact *fact, const void *object, size_t object_size,
                               const void *part, size_t size);
/** Valid as long as the fact; null for null. */
const char *sartor_fact_name(const sartor_fact *fact);
/** 1 while variants may be built on it; else 0, also for null. */
int sartor_fact_holds(const sartor_fact *fact);
/** Waits until it holds, for so many seconds; 1 if it does. */
int sartor_wait_for_fact(const sartor_fact *fact, double seconds);
/** A write guard, as sartor::Write: the memory may be written to until sartor_end_write(). Null: it
 *  is to be left alone; also if `fact` is null, which the last error tells then. Takes memory, so
 *  not in signal handlers. */
typedef struct sartor_write sartor_write;
sartor_write *sartor_begin_write(sartor_fact *fact);
/** Null is allowed. */
void sartor_end_write(sartor_write *write);
/** What has become of it, as JSON: the fields of sartor::QuasiInvariantFigures. Free it with
 *  sartor_free(). */
sartor_status sartor_fact_figures(const sartor_fact *fact, char **json);
/** It is none any more: its memory may be freed when this returns, unless within a handler. Null is
 *  allowed. */
void sartor_drop_fact(sartor_fact *fact);

/** `passes` in LLVM's textual form, `plugins` a null-terminated list of paths or null. */
sartor_status sartor_customize_pipeline(sartor_runtime *runtime, const char *passes,
                                        const char *const *plugins);

/** Replaces the constraints between points, given as JSON, of which any part may be left out:
 *  `{"relations":["Ti * Tj <= 4096"],"conditions":{"depth":{"mode":[2,3]}},
 *  "forbidden":[{"B":64,"N":64}]}`. `depth` is set only where `mode` is 2 or 3. `{}` takes them all
 *  back. What is in force stays in force. */
sartor_status sartor_constrain(sartor_runtime *runtime, const char *constraints);

/** The points and the constraints. */
sartor_status sartor_space(sartor_runtime *runtime, char **json);

/** Instruments points: `{"B":1,"lookup":100}` counts what is seen at B every time, and at `lookup`
 *  every hundredth time, on average. Replaces what was instrumented before; `{}` switches it off.
 */
sartor_status sartor_instrument(sartor_runtime *runtime, const char *every);
/** What was seen since the start or the last sartor_clear_profile(), and what was loaded. */
sartor_status sartor_profile(sartor_runtime *runtime, char **json);
/** Adds what sartor_profile() told, of this program, elsewhere or earlier. */
sartor_status sartor_load_profile(sartor_runtime *runtime, const char *json);
/** Forgets it all. Calls under way may be counted before or after. */
sartor_status sartor_clear_profile(sartor_runtime *runtime);
/** What two profiles of one program have seen together. */
sartor_status sartor_merge_profiles(const char *one, const char *other, char **json);
/** The part of all times, 0 to 1, that the `top` most frequent inputs of a point account for. */
sartor_status sartor_profile_share(const char *profile, const char *label, size_t top,
                                   double *share);

/** Null is allowed. */
void sartor_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
