/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Handlers that run in Linux, in C: docs/kernel.md, and bpf_runtime.hpp, which says more of each
 * function. Link with libsartor-bpf. What sartor.h says of errors, null pointers, threads and texts
 * holds here, too: all functions return a number, and sartor_last_error() tells more; texts are
 * JSON and are freed with sartor_free(). Errors of all functions, besides those that are named:
 * SARTOR_ERROR_NOT_PERMITTED where this process may not, SARTOR_ERROR_KERNEL_LACKS where the kernel
 * is too old. What is in force stays then.
 */
#ifndef SARTOR_BPF_H
#define SARTOR_BPF_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/builder.h>
#include <sartor/sartor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sartor_bpf_runtime sartor_bpf_runtime;

/** Loads an object file of clang's for BPF, of which these are the bytes; they may be freed when
 *  this returns. SARTOR_BPF_OBJECT(name) (bpf_object.h) names those in the program. `options`:
 * null, or JSON with fields of sartor::BpfOptions by name, e.g. `{"pins": "/sys/fs/bpf/ours"}`;
 *  `compile_timeout` in seconds. Free it with sartor_bpf_close(). Fails with bad_bpf_object,
 *  no_handler_module, bad_json, too. */
sartor_status sartor_bpf_open(const void *object, size_t bytes, const char *options,
                              sartor_bpf_runtime **out);
/** The same from a file. Fails with file_error, too. */
sartor_status sartor_bpf_open_file(const char *path, const char *options, sartor_bpf_runtime **out);
struct bpf_object;
/** One that the program has loaded itself, by libbpf or a skeleton, of which these are the bytes (a
 *  skeleton's `NAME__elf_bytes()`). It stays the caller's, loaded, until the runtime is closed.
 *  Fails with bad_argument where `options` has pins, too. */
sartor_status sartor_bpf_adopt(struct bpf_object *object, const void *bytes, size_t size,
                               const char *options, sartor_bpf_runtime **out);
/** Takes away what is not pinned. Nobody may be in another function of it. Null is allowed. */
void sartor_bpf_close(sartor_bpf_runtime *runtime);

/** The points, as sartor_space(). */
sartor_status sartor_bpf_space(const sartor_bpf_runtime *runtime, char **json);
/** The names of all handlers: a list. Where all stays generic, of all programs of the object. */
sartor_status sartor_bpf_handlers(const sartor_bpf_runtime *runtime, char **json);

/** Puts a configuration (JSON, e.g. `{"ports":4}`) in force; `{}` sets nothing: what is promised
 *  folds then, and nothing else. All handlers change, or none. Fails as sartor_specialize(), and
 *  with refused_by_verifier. */
sartor_status sartor_bpf_specialize(sartor_bpf_runtime *runtime, const char *configuration);
/** The same; what is in force then goes to `*json`: a list with what sartor_bpf_in_force() tells,
 *  of each handler. */
sartor_status sartor_bpf_specialize_and_tell(sartor_bpf_runtime *runtime, const char *configuration,
                                             char **json);
/** Has what is in force profile the points with these labels (JSON, e.g. `["ports","lookup"]`), a
 *  call in `every` on average; all others are not profiled any more. Counts stay. */
sartor_status sartor_bpf_instrument(sartor_bpf_runtime *runtime, const char *labels,
                                    unsigned every);
/** What has been seen since the object was opened, or since sartor_bpf_clear_profile(), as
 *  sartor_profile(). */
sartor_status sartor_bpf_profile(const sartor_bpf_runtime *runtime, char **json);
/** Forgets what has been seen. */
sartor_status sartor_bpf_clear_profile(sartor_bpf_runtime *runtime);
/** How often guards of a label have failed, in all variants that have been in force. */
sartor_status sartor_bpf_guard_failures(const sartor_bpf_runtime *runtime, const char *label,
                                        uint64_t *out);

/** Who may change a map whose content is promised, and how it is noticed: sartor::BpfWriters. */
enum sartor_bpf_writers {
  SARTOR_BPF_OURS,    /**< This process, by the functions below, and the object's programs. */
  SARTOR_BPF_WATCHED, /**< Anybody; programs in the kernel see it, at its functions or at system
                         calls. */
  SARTOR_BPF_POLLED   /**< Anybody; sartor_bpf_refresh() looks. Not with pins. */
};
/** Promises that the content of a map which is marked SARTOR_READ_MOSTLY seldom changes: from the
 *  next sartor_bpf_specialize() or sartor_bpf_refresh() on it is part of variants, which look at
 * its version when they are entered. Fails with bad_bpf_object, bad_invariant, too. */
sartor_status sartor_bpf_promise(sartor_bpf_runtime *runtime, const char *map,
                                 enum sartor_bpf_writers writers);
sartor_status sartor_bpf_take_back(sartor_bpf_runtime *runtime, const char *map);
/** Changes a map, promised or not. Fails with bad_bpf_object where the sizes are not the map's. */
sartor_status sartor_bpf_update(sartor_bpf_runtime *runtime, const char *map, const void *key,
                                size_t key_bytes, const void *value, size_t value_bytes);
sartor_status sartor_bpf_erase(sartor_bpf_runtime *runtime, const char *map, const void *key,
                               size_t key_bytes);
/** A label's code was made from a map's content, by a generator of a custom point: variants that
 *  set it look at that map's version, too. To be promised before such a variant is made. Fails with
 *  unknown_label, bad_bpf_object. */
sartor_status sartor_bpf_tie(sartor_bpf_runtime *runtime, const char *label, const char *map);
/** As sartor_add_custom_choices(), `choices` null for 1 alone. The generator may call
 *  sartor_bpf_map() only of this runtime, and no functions of the program; its tables are constants
 *  of the variant's. `user` must stay as long as the runtime. */
sartor_status sartor_bpf_add_custom(sartor_bpf_runtime *runtime, const char *kind,
                                    const char *choices, sartor_generator generator, void *user);
/** Tries configurations (JSON, a list) in turn while packets flow, beside what is in force and
 *  generic code, and leaves the best in force, which goes to `*best`, unless that is null. `score`
 *  is called with each in force, and returns how well the system does, over a window of its own:
 *  higher is better. `options`: null, or what sartor_strategy_race() takes. Nothing else may change
 *  what is in force meanwhile. */
sartor_status sartor_bpf_autotune(sartor_bpf_runtime *runtime, const char *candidates,
                                  double (*score)(void *user), void *user, const char *options,
                                  char **best);
/** Makes anew what leans on maps that have changed; 1 to `*changed` if there was any, else 0.
 *  `changed` may be null. */
sartor_status sartor_bpf_refresh(sartor_bpf_runtime *runtime, int *changed);
/** The object's maps: a list with the fields of sartor::BpfMap of each by name; `promised` is null,
 *  "ours", "watched" or "polled". */
sartor_status sartor_bpf_maps(const sartor_bpf_runtime *runtime, char **json);

/** What is in force for a handler: the fields of sartor::BpfVariant by name, times in seconds.
 *  Fails with unknown_handler. */
sartor_status sartor_bpf_in_force(const sartor_bpf_runtime *runtime, const char *handler,
                                  char **json);
/** Descriptors of what is in force, of generic code, and of a map. They are the runtime's, nobody
 *  else closes them: valid until sartor_bpf_close(), the first until the next change. Fail with
 *  unknown_handler, bad_bpf_object. */
sartor_status sartor_bpf_program(const sartor_bpf_runtime *runtime, const char *handler, int *out);
sartor_status sartor_bpf_generic_program(const sartor_bpf_runtime *runtime, const char *handler,
                                         int *out);
sartor_status sartor_bpf_map(const sartor_bpf_runtime *runtime, const char *name, int *out);

/** Attach a handler: from now on the kernel calls what is in force. Fail with unknown_handler, and
 *  with bad_attachment where somebody else is there, or there is no such place. */
sartor_status sartor_bpf_attach_xdp(sartor_bpf_runtime *runtime, const char *handler,
                                    const char *interface);
/** To the tcx hook of an interface (Linux 6.6), of what leaves by it if `egress` is not 0. */
sartor_status sartor_bpf_attach_tc(sartor_bpf_runtime *runtime, const char *handler,
                                   const char *interface, int egress);
/** `group`: a directory of the control groups' file system. */
sartor_status sartor_bpf_attach_cgroup(sartor_bpf_runtime *runtime, const char *handler,
                                       const char *group);
/** As a filter of a socket, which stays the caller's. */
sartor_status sartor_bpf_attach_socket(sartor_bpf_runtime *runtime, const char *handler,
                                       int socket);
/** Into a slot of a program array of the object's, for tail calls. */
sartor_status sartor_bpf_attach_slot(sartor_bpf_runtime *runtime, const char *handler,
                                     const char *map, uint32_t index);
/** At a link that the caller has made, for any kind of program whose links can be led to another
 *  one: to generic code again when it is detached, or the runtime is closed. `link` stays the
 *  caller's. */
sartor_status sartor_bpf_attach_link(sartor_bpf_runtime *runtime, const char *handler, int link);
/** Takes all of a handler's attachments away, and their pins; links stay, with generic code. */
sartor_status sartor_bpf_detach(sartor_bpf_runtime *runtime, const char *handler);

#ifdef __cplusplus
}
#endif

#endif
