/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * \file
 * Sartor on a device that has no room for a compiler: variants come from a sartor-server.
 *
 * A program customizes a handler to a context, the settings of points and the values of arguments,
 * and gets a binding. A call through the binding runs the best code for it: the variant, once it
 * has arrived; until then, or if there is none, the generic code of the program, or generic code
 * from the server. Nothing waits for the server except sartor_device_attend(),
 * sartor_device_wait(), and calls of handlers that have no code at all.
 *
 * C11 with POSIX threads; libsodium. All functions are thread-safe except sartor_device_open() and
 * sartor_device_close(). After fork(), the child keeps the present code and gets no more. Must not
 * be used in signal handlers, except sartor_device_enter() and sartor_device_leave() of handlers
 * whose native code the program has.
 */
#ifndef SARTOR_DEVICE_DEVICE_H
#define SARTOR_DEVICE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/foldable.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sartor_device_status {
  SARTOR_DEVICE_OK,
  SARTOR_DEVICE_MEMORY,          /**< There is too little memory. */
  SARTOR_DEVICE_OPTIONS,         /**< An option makes no sense; an event names it. */
  SARTOR_DEVICE_HANDLER,         /**< The module has no handler of that name. */
  SARTOR_DEVICE_SETTINGS,        /**< Too many settings, or one of an unknown kind. */
  SARTOR_DEVICE_BINDINGS,        /**< The maximum number of bindings is in use: cancel some. */
  SARTOR_DEVICE_UNKNOWN_BINDING, /**< The binding was cancelled, or never given out. */
  SARTOR_DEVICE_INVARIANTS,      /**< The maximum number of ranges is declared, or one overlaps
                                    another. */
  SARTOR_DEVICE_BUSY, /**< A thread is inside code that depends on it, and has not left in time. */
  SARTOR_DEVICE_MISSING, /**< Code that is wanted is not here: the time is up, or the server has
                            refused it. */
  SARTOR_DEVICE_FORKED   /**< This is a child of the process that opened the device. */
};

/** Events for `report`: each with a line of text. */
enum sartor_device_event {
  SARTOR_DEVICE_EVENT_LOST, /**< The server cannot be reached, or has gone. The device tries again.
                             */
  SARTOR_DEVICE_EVENT_RECONNECTED, /**< The server can be reached again. */
  SARTOR_DEVICE_EVENT_REFUSED,     /**< The server makes no such code; the text has the reason. */
  SARTOR_DEVICE_EVENT_FORGED,      /**< An answer is not the server's to this request. */
  SARTOR_DEVICE_EVENT_UNPLACED,    /**< Code has arrived that cannot be placed; the text has the
                                      reason. */
  SARTOR_DEVICE_EVENT_DROPPED, /**< Settings were dropped from a context; the text has them and the
                                  reason. */
  SARTOR_DEVICE_EVENT_EVICTED, /**< Code was evicted to make room. */
  SARTOR_DEVICE_EVENT_REMARK   /**< A remark of the compiler: a request that had no effect. */
};

/** A named address. Tables are sorted by names, in the order of strcmp(). */
struct sartor_device_symbol {
  const char *name;
  void *address;
};

/** A handler module in the form that `sartor device` writes. Immutable. */
struct sartor_device_module {
  const char *hash;   /**< Hash of the file that the server has. */
  const char *target; /**< The architecture, optionally with features: "aarch64+lse". */
  const struct sartor_device_symbol *symbols; /**< Symbols that variants may refer to. */
  size_t symbol_count;
  const struct sartor_foldable *foldables; /**< Functions that a server may have called. */
  size_t foldable_count;
  const struct sartor_device_symbol *handlers; /**< Native code; null if there is none. */
  size_t handler_count;
  const char *const *labels;
  size_t label_count;
  int64_t *guard_failures; /**< By label; written by variants. */
};

/** The system functions that a device uses. Functions that are null are those of Linux. All must be
 *  thread-safe. Deadlines are nanoseconds of CLOCK_MONOTONIC. */
struct sartor_device_system {
  void *context;
  /** As realloc(); and as free(), with null as the result, if `bytes` is zero. */
  void *(*allocate)(void *context, void *memory, size_t bytes);
  /** Connects to the server of the options, and returns a stream; null on failure. The next three
   *  must be given, too. */
  void *(*connect)(void *context, const char *server, uint64_t deadline);
  /** Sends, or receives, all bytes. Returns zero on failure, and at the deadline. */
  int (*send)(void *context, void *stream, const void *bytes, size_t size, uint64_t deadline);
  int (*receive)(void *context, void *stream, void *bytes, size_t size, uint64_t deadline);
  /** Also called in a child of fork(). */
  void (*disconnect)(void *context, void *stream);
  /** Returns memory for code, which is executed at `*code` and written at `*writable`, which may be
   *  equal; null on failure. The next two must be given, too. Children of fork() do not use it. */
  void *(*open_code)(void *context, size_t bytes, void **writable);
  void (*close_code)(void *context, void *code, size_t bytes);
  /** Called after code was written, and before it is executed. */
  void (*code_written)(void *context, void *code, size_t bytes);
};

struct sartor_device_options {
  const struct sartor_device_module *module;
  /** tcp://HOST:PORT, the server's --listen-devices; or unix:/PATH, the socket of a proxy that
   *  forwards to it: the server itself has no such socket for devices. */
  const char *server;
  /** The server's public key, 32 bytes; or several, one after the other, while the server's key
   *  is being replaced. The device accepts code from a server that has one of them. */
  const unsigned char *server_key;
  size_t server_key_count;  /**< At most 16; 0: one. */
  const unsigned char *key; /**< 64 bytes: authenticates the device to the server. Null: none. */
  size_t code_bytes;        /**< Maximum size of all code; 0: 64 KiB. */
  unsigned contexts; /**< Maximum number of contexts of one handler, in addition to the empty one;
                        0: 8. At most 64. */
  unsigned bindings; /**< Maximum number of bindings; 0: 256. At most 4096. */
  unsigned milliseconds; /**< Maximum time to wait for an answer, or for code; 0: 10,000. */
  size_t pages; /**< Bytes of invariant memory that are sent with a request, before the server asks
                   for more page by page; 0: 4 KiB. */
  /** Called with no lock held, by any thread. May be null. */
  void (*report)(void *context, enum sartor_device_event event, const char *text);
  void *report_context;
  unsigned invariants; /**< Maximum number of ranges of invariant memory; 0: 32. At most 1,024. */
  const struct sartor_device_system *system; /**< Null: Linux. */
};

struct sartor_device;

/** Sends nothing to the server yet. `*device` is null if it fails. Memory that the options point
 *  to must outlive the device, except for the strings and keys, which are copied. */
enum sartor_device_status sartor_device_open(const struct sartor_device_options *options,
                                             struct sartor_device **device);
/** No thread may be inside its code, or be about to call it. */
void sartor_device_close(struct sartor_device *device);

enum sartor_device_kind { SARTOR_DEVICE_INTEGER, SARTOR_DEVICE_REAL, SARTOR_DEVICE_SYMBOL };

/** A point's setting or, without a label, an argument's value. Labels and symbols are
 *  copied. */
struct sartor_device_setting {
  const char *label; /**< Null for an argument. */
  unsigned argument; /**< Index of the argument. Calls pass it nevertheless, with that value. */
  enum sartor_device_kind kind;
  int64_t integer; /**< Addresses and unsigned numbers are stored by their bits. */
  double real;
  const char *symbol;
  int unguarded; /**< The program guarantees the value: no code checks it. */
};

/* Empty braces are valid in C++ and in C23, but not in C11. */
#ifdef __cplusplus
#define SARTOR_DEVICE_NOTHING_                                                                     \
  {                                                                                                \
  }
#else
#define SARTOR_DEVICE_NOTHING_ {0}
#endif

/** Sets a point. */
static inline struct sartor_device_setting sartor_device_point(const char *label, int64_t value) {
  struct sartor_device_setting setting = SARTOR_DEVICE_NOTHING_;
  setting.label = label;
  setting.kind = SARTOR_DEVICE_INTEGER;
  setting.integer = value;
  return setting;
}
static inline struct sartor_device_setting sartor_device_real(const char *label, double value) {
  struct sartor_device_setting setting = SARTOR_DEVICE_NOTHING_;
  setting.label = label;
  setting.kind = SARTOR_DEVICE_REAL;
  setting.real = value;
  return setting;
}
/** Sets an argument that is no floating-point number: a number's bits, or an address. */
static inline struct sartor_device_setting sartor_device_argument(unsigned index, int64_t value) {
  struct sartor_device_setting setting = SARTOR_DEVICE_NOTHING_;
  setting.argument = index;
  setting.kind = SARTOR_DEVICE_INTEGER;
  setting.integer = value;
  return setting;
}
static inline struct sartor_device_setting sartor_device_pointer(unsigned index, const void *to) {
  return sartor_device_argument(index, (int64_t)(intptr_t)to);
}

/** A binding. 0 is none. */
typedef uint32_t sartor_device_binding;

/** Customizes a handler to a context. The settings are in the order of their importance: if there
 *  is no room for another context, the last are dropped, down to none. At most 16. The code is
 *  available once sartor_device_attend() has fetched it. */
enum sartor_device_status sartor_device_customize(struct sartor_device *device, const char *handler,
                                                  const struct sartor_device_setting *settings,
                                                  size_t count, sartor_device_binding *binding);
/** Cancels a binding: the program must not call it any more. Its code stays as long as there is
 *  room. */
enum sartor_device_status sartor_device_cancel(struct sartor_device *device,
                                               sartor_device_binding binding);

/** The code to call, and the value to pass to sartor_device_leave() afterwards. */
struct sartor_device_code {
  void (*function)(void); /**< Has the handler's type. Null: there is none; see `status`. */
  enum sartor_device_status status;
  int is_variant; /**< True if it is specialized to the context, or to the settings of it that were
                     not dropped. */
  void *inside;
};

/** Returns the code of a binding to call now; call sartor_device_leave() afterwards. If the
 *  handler has no code yet, waits for it. */
struct sartor_device_code sartor_device_enter(struct sartor_device *device,
                                              sartor_device_binding binding);
void sartor_device_leave(struct sartor_device *device, struct sartor_device_code code);

/** Fetches wanted code from the server, for at most `milliseconds`: call it now and then, or from
 *  a separate thread. Not from within functions marked SARTOR_FOLD. Returns MISSING if code is
 *  still wanted afterwards. */
enum sartor_device_status sartor_device_attend(struct sartor_device *device, unsigned milliseconds);
/** The same until the binding's code has arrived. Returns MISSING if it has not, and will not
 *  soon. */
enum sartor_device_status sartor_device_wait(struct sartor_device *device,
                                             sartor_device_binding binding, unsigned milliseconds);

/** Declares that memory does not change: values that variants read there become constants.
 *  `*invariant` is the argument of sartor_device_revoke(). */
enum sartor_device_status sartor_device_declare_invariant(struct sartor_device *device,
                                                          const void *memory, size_t bytes,
                                                          unsigned *invariant);
/** Adds a range of memory to an invariant, such as a further field of an object. */
enum sartor_device_status sartor_device_add_range(struct sartor_device *device, unsigned invariant,
                                                  const void *memory, size_t bytes);
/** Revokes an invariant: afterwards the memory may change. Code that depends on it is inactive,
 *  and no thread is inside it. With BUSY a thread may be inside: the invariant is revoked
 *  already, but the memory must not change until a further call returns OK. Not from within a
 *  handler. */
enum sartor_device_status sartor_device_revoke(struct sartor_device *device, unsigned invariant);

/** Counters of a device since it was opened. */
struct sartor_device_figures {
  uint64_t requests;   /**< Requests that were answered with code. */
  uint64_t calls;      /**< Calls of functions marked SARTOR_FOLD, for the server. */
  uint64_t pages;      /**< Pages that the server asked for. */
  uint64_t sent;       /**< Bytes. */
  uint64_t received;   /**< Bytes. */
  uint64_t code;       /**< Bytes that are placed now. */
  uint64_t evicted;    /**< Variants that were evicted to make room. */
  uint64_t request_ns; /**< Duration of the last request. */
  uint64_t
      request_turns; /**< Round trips of the last request: calls, pages, and ⌈answer ÷ window⌉. */
  uint64_t request_code; /**< Bytes of code in its answer. */
  uint64_t turn_ns;      /**< The shortest round trip so far. */
};
/** Bytes that are assumed to arrive in one round trip: TCP's initial window of ten segments (RFC
 *  6928). */
#define SARTOR_DEVICE_WINDOW 14600u
struct sartor_device_figures sartor_device_figures(struct sartor_device *device);

/** Reads a key file of `sartor key`: 32 bytes of NAME.pub, 64 of NAME.key. Nonzero if it is a
 *  key. */
int sartor_device_read_key(const char *file, unsigned char *key, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
