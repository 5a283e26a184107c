/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * \file
 * Sartor on a device that has no room for a compiler: variants come from a sartor-server.
 *
 * A program customizes a handler to a context, the settings of points and the values of arguments,
 * and gets a token, by which it calls the code that is best for that: the variant, once it is here;
 * until then, or where there is none, the generic code that the program has, or that came from the
 * server too. Nothing waits for the server but sartor_device_attend(), and calls of handlers that
 * have no code at all.
 *
 * C11 with POSIX threads; libsodium. All functions are thread-safe but sartor_device_open() and
 * sartor_device_close(). After fork(), the child keeps the code that is there and gets no more. Not
 * to be used in signal handlers, but for sartor_device_enter() and sartor_device_leave() of
 * handlers whose native code the program has.
 */
#ifndef SARTOR_DEVICE_H
#define SARTOR_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/foldable.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sartor_device_status {
  SARTOR_DEVICE_OK,
  SARTOR_DEVICE_MEMORY,   /**< There is too little memory. */
  SARTOR_DEVICE_OPTIONS,  /**< An option makes no sense; an event tells which. */
  SARTOR_DEVICE_HANDLER,  /**< The module has no handler of that name. */
  SARTOR_DEVICE_SETTINGS, /**< Too many, or one of no kind. */
  SARTOR_DEVICE_TOKENS,   /**< As many as there may be are in use: cancel some. */
  SARTOR_DEVICE_TOKEN,    /**< It was cancelled, or never given. */
  SARTOR_DEVICE_PROMISES, /**< As many as there may be are given, or one overlaps another. */
  SARTOR_DEVICE_BUSY,    /**< A thread is inside code that leans on it, and has not left in time. */
  SARTOR_DEVICE_MISSING, /**< Code that is wanted is not here: the time is up, or the server has
                          *   refused it. */
  SARTOR_DEVICE_FORKED   /**< This is the child of who opened the device. */
};

/** What is told of: each with a line of text. */
enum sartor_device_event {
  SARTOR_DEVICE_SAYS_LOST,     /**< The server cannot be reached, or has gone. It is tried again. */
  SARTOR_DEVICE_SAYS_BACK,     /**< It is there again. */
  SARTOR_DEVICE_SAYS_REFUSED,  /**< The server makes no such code, and says why. */
  SARTOR_DEVICE_SAYS_FORGED,   /**< An answer is not the server's to what was asked. */
  SARTOR_DEVICE_SAYS_UNPLACED, /**< Code has come that cannot be placed: why. */
  SARTOR_DEVICE_SAYS_DROPPED,  /**< Settings were left out of a context: which, and why. */
  SARTOR_DEVICE_SAYS_EVICTED,  /**< Code has gone to make room. */
  SARTOR_DEVICE_SAYS_REMARK    /**< Of the compiler's: what was asked for and changed nothing. */
};

/** An address by its name. Tables are sorted by names, as strcmp() has it. */
struct sartor_device_symbol {
  const char *name;
  void *address;
};

/** A handler module as `sartor device` writes it. Immutable. */
struct sartor_device_module {
  const char *hash;   /**< Of the file that the server has. */
  const char *target; /**< The architecture, perhaps with features: "aarch64+lse". */
  const struct sartor_device_symbol *symbols; /**< What variants may refer to. */
  size_t symbol_count;
  const struct sartor_foldable *foldables; /**< Functions that a server may have called. */
  size_t foldable_count;
  const struct sartor_device_symbol *handlers; /**< Their native code; null where there is none. */
  size_t handler_count;
  const char *const *labels;
  size_t label_count;
  int64_t *guard_failures; /**< By label; written by variants. */
};

struct sartor_device_options {
  const struct sartor_device_module *module;
  /** tcp://HOST:PORT (the server's --listen-devices), or unix:/PATH. */
  const char *server;
  /** The server's public key, 32 bytes; or several, one after the other, while the server's key is
   *  being replaced. The device takes code from a server that has one of them. */
  const unsigned char *server_key;
  size_t server_key_count;  /**< At most 16; 0: one. */
  const unsigned char *key; /**< 64 bytes: by which the server knows the device. Null: none. */
  size_t code_bytes;        /**< For code at most; 0: 64 KiB. */
  unsigned contexts;     /**< Of one handler at a time, besides the empty one; 0: 8. At most 64. */
  unsigned tokens;       /**< At a time; 0: 256. At most 4096. */
  unsigned milliseconds; /**< How long is waited for an answer, or for code; 0: 10,000. */
  size_t pages; /**< Bytes of promised memory that go along with what is asked, before it is
                 *   asked for page by page; 0: 4 KiB. */
  /** Called with no lock held, by any thread. May be null. */
  void (*tell)(void *context, enum sartor_device_event event, const char *text);
  void *tell_context;
};

struct sartor_device;

/** Asks nothing of the server yet. `*device` is null where it fails. What the options point to must
 *  outlive the device, but for the strings and keys, which are copied. */
enum sartor_device_status sartor_device_open(const struct sartor_device_options *options,
                                             struct sartor_device **device);
/** No thread may be inside its code, or be about to call it. */
void sartor_device_close(struct sartor_device *device);

enum sartor_device_kind { SARTOR_DEVICE_INTEGER, SARTOR_DEVICE_REAL, SARTOR_DEVICE_SYMBOL };

/** A point's setting or, without a label, an argument's value. Labels and symbols must outlive the
 *  token. */
struct sartor_device_setting {
  const char *label; /**< Null: an argument. */
  unsigned argument; /**< Its index. Calls pass it nevertheless, with that value. */
  enum sartor_device_kind kind;
  int64_t integer; /**< Of addresses and unsigned numbers: their bits. */
  double real;
  const char *symbol;
  int unguarded; /**< It is promised: no code looks whether it holds. */
};

/* Empty braces are C++, and of C only what is newer than C11. */
#ifdef __cplusplus
#define SARTOR_DEVICE_NOTHING_                                                                     \
  {                                                                                                \
  }
#else
#define SARTOR_DEVICE_NOTHING_ {0}
#endif

/** A point. */
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
/** An argument that is no floating-point number: a number's bits, or an address. */
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
typedef uint32_t sartor_device_token;

/** Has a handler fitted to a context. The settings come in the order of their weight: where there
 *  is no room for another context, the last are dropped, down to none. At most 16. The code is
 * there once sartor_device_attend() has fetched it. */
enum sartor_device_status sartor_device_customize(struct sartor_device *device, const char *handler,
                                                  const struct sartor_device_setting *settings,
                                                  size_t count, sartor_device_token *token);
/** Nobody calls by this token any more. Its code stays as long as there is room. */
enum sartor_device_status sartor_device_cancel(struct sartor_device *device,
                                               sartor_device_token token);

/** What to call, and what to give back afterwards. */
struct sartor_device_code {
  void (*function)(void); /**< Of the handler's type. Null: there is none; see `status`. */
  enum sartor_device_status status;
  int is_variant; /**< It is fitted to the context, or to what was not dropped of it. */
  void *inside;
};

/** By token, the code to call now: then sartor_device_leave(). Where the handler has no code yet,
 * it is waited for. */
struct sartor_device_code sartor_device_enter(struct sartor_device *device,
                                              sartor_device_token token);
void sartor_device_leave(struct sartor_device *device, struct sartor_device_code code);

/** Fetches what is wanted from the server, for that many milliseconds at most: to be called now and
 *  then, or by a thread of its own. Not from within functions marked SARTOR_FOLD. MISSING where
 *  something is still wanted afterwards. */
enum sartor_device_status sartor_device_attend(struct sartor_device *device, unsigned milliseconds);
/** The same until the token's code is there. MISSING where it is not, and will not be soon. */
enum sartor_device_status sartor_device_wait(struct sartor_device *device,
                                             sartor_device_token token, unsigned milliseconds);

/** Promises that memory does not change: what variants read there becomes constants. At most 32
 *  promises at a time. `*promise` is what sartor_device_break() takes. */
enum sartor_device_status sartor_device_promise(struct sartor_device *device, const void *memory,
                                                size_t bytes, unsigned *promise);
/** Takes a promise back: afterwards the memory may change. Code that leans on it is out of force,
 *  and no thread is inside it; with BUSY one may be, the promise stands for nothing any more, and
 *  the memory must be left alone until a further call says OK. Not from within a handler. */
enum sartor_device_status sartor_device_break(struct sartor_device *device, unsigned promise);

/** What it has cost, since it was opened. */
struct sartor_device_figures {
  uint64_t requests;   /**< Answered with code. */
  uint64_t calls;      /**< Of functions marked SARTOR_FOLD, for the server. */
  uint64_t pages;      /**< Asked for by the server. */
  uint64_t sent;       /**< Bytes. */
  uint64_t received;   /**< Bytes. */
  uint64_t code;       /**< Bytes that are placed now. */
  uint64_t evicted;    /**< Variants that have gone to make room. */
  uint64_t request_ns; /**< That the last request took. */
  uint64_t
      request_turns; /**< Round trips of the last request: calls, pages, and ⌈answer ÷ window⌉. */
  uint64_t request_code; /**< Bytes of code in its answer. */
  uint64_t turn_ns;      /**< The shortest round trip that was seen. */
};
/** Bytes that are taken to come in one round trip: TCP's initial window of ten segments (RFC 6928).
 */
#define SARTOR_DEVICE_WINDOW 14600u
struct sartor_device_figures sartor_device_figures(struct sartor_device *device);

/** Reads a key as `sartor key` writes it: 32 bytes of NAME.pub, 64 of NAME.key. Nonzero if it is
 *  one. */
int sartor_device_read_key(const char *file, unsigned char *key, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
