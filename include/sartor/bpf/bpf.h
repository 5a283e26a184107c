/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Handlers that run in Linux, in C: docs/guides/kernel_handlers.md, and bpf/runtime.hpp, which
 * describes each function in more detail. Link with libsartor-bpf. The rules of c/sartor.h for
 * errors, null pointers, threads and texts apply here, too: all functions return a number, and
 * sartor_last_error() has the details; texts are JSON and are freed with sartor_free(). In addition
 * to the errors that are named, all functions fail with SARTOR_ERROR_NOT_PERMITTED if this process
 * lacks the rights, and with SARTOR_ERROR_KERNEL_LACKS if the kernel is too old. Active variants
 * stay active then.
 */
#ifndef SARTOR_BPF_BPF_H
#define SARTOR_BPF_BPF_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/c/generator.h>
#include <sartor/c/sartor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sartor_bpf_runtime sartor_bpf_runtime;

/** Loads a BPF object file made by clang, given by its bytes; they may be freed when this
 *  returns. SARTOR_BPF_OBJECT(name) (bpf/object.h) names those in the program. `options`: null,
 *  or JSON with fields of sartor::BpfOptions by name, e.g. `{"pins": "/sys/fs/bpf/ours"}`;
 *  `compile_timeout` in seconds. Free it with sartor_bpf_close(). Fails with bad_bpf_object,
 *  no_handler_module, bad_json, too. */
sartor_status sartor_bpf_open(const void *object, size_t bytes, const char *options,
                              sartor_bpf_runtime **out);
/** The same from a file. Fails with file_error, too. */
sartor_status sartor_bpf_open_file(const char *path, const char *options, sartor_bpf_runtime **out);
struct bpf_object;
/** Adopts an object that the program has loaded itself, by libbpf or a skeleton; `bytes` are
 *  those of its file (a skeleton's `NAME__elf_bytes()`). The caller keeps ownership of the
 *  object, which must stay loaded until the runtime is closed. Fails with bad_argument if
 *  `options` has pins, too. */
sartor_status sartor_bpf_adopt(struct bpf_object *object, const void *bytes, size_t size,
                               const char *options, sartor_bpf_runtime **out);
/** Removes everything that is not pinned. No thread may be in another function of the runtime.
 *  Null is allowed. */
void sartor_bpf_close(sartor_bpf_runtime *runtime);

/** The points, in the format of sartor_space(). */
sartor_status sartor_bpf_space(const sartor_bpf_runtime *runtime, char **json);
/** The names of all handlers: a list. If everything stays generic: of all programs of the
 *  object. */
sartor_status sartor_bpf_handlers(const sartor_bpf_runtime *runtime, char **json);

/** Activates a configuration (JSON, e.g. `{"ports":4}`); `{}` sets no point: only invariant
 *  maps are folded then. All handlers change, or none. Fails with the errors of
 *  sartor_specialize(), and with refused_by_verifier. */
sartor_status sartor_bpf_specialize(sartor_bpf_runtime *runtime, const char *configuration);
/** The same; `*json` receives a list of the active variants, one for each handler, in the
 *  format of sartor_bpf_active(). */
sartor_status sartor_bpf_specialize_with_report(sartor_bpf_runtime *runtime,
                                                const char *configuration, char **json);
/** Instruments the active variants: they profile the points with these labels (JSON, e.g.
 *  `["ports","lookup"]`), one call in `every` on average. All other points are not profiled any
 *  more. Counts are kept. */
sartor_status sartor_bpf_instrument(sartor_bpf_runtime *runtime, const char *labels,
                                    unsigned every);
/** The profile since the object was opened, or since sartor_bpf_clear_profile(), in the format
 *  of sartor_profile(). */
sartor_status sartor_bpf_profile(const sartor_bpf_runtime *runtime, char **json);
/** Clears the profile. */
sartor_status sartor_bpf_clear_profile(sartor_bpf_runtime *runtime);
/** Number of failed guards of a label, in all variants that have been active. */
sartor_status sartor_bpf_guard_failures(const sartor_bpf_runtime *runtime, const char *label,
                                        uint64_t *out);

/** The possible writers of an invariant map, and how changes are detected: sartor::BpfWriters. */
enum sartor_bpf_writers {
  SARTOR_BPF_OURS,    /**< This process, through the functions below, and the object's programs. */
  SARTOR_BPF_WATCHED, /**< Any process or program; programs in the kernel detect changes, at its
                         functions or at system calls. */
  SARTOR_BPF_POLLED   /**< Any process or program; sartor_bpf_refresh() detects changes. Not with
                         pins. */
};
/** Declares that the content of a map which is marked SARTOR_READ_MOSTLY seldom changes: from
 *  the next sartor_bpf_specialize() or sartor_bpf_refresh() on it is part of variants, which
 *  check its version when they are entered. Fails with bad_bpf_object, bad_invariant, too. */
sartor_status sartor_bpf_declare_invariant(sartor_bpf_runtime *runtime, const char *map,
                                           enum sartor_bpf_writers writers);
sartor_status sartor_bpf_revoke(sartor_bpf_runtime *runtime, const char *map);
/** Changes a map, invariant or not. Fails with bad_bpf_object if the sizes are not the map's. */
sartor_status sartor_bpf_update(sartor_bpf_runtime *runtime, const char *map, const void *key,
                                size_t key_bytes, const void *value, size_t value_bytes);
sartor_status sartor_bpf_erase(sartor_bpf_runtime *runtime, const char *map, const void *key,
                               size_t key_bytes);
/** Declares that a label's code was made from a map's content, by a generator of a custom
 *  point: variants that set it check that map's version, too. The map must be declared
 *  invariant before such a variant is made. Fails with unknown_label, bad_bpf_object. */
sartor_status sartor_bpf_tie(sartor_bpf_runtime *runtime, const char *label, const char *map);
/** Like sartor_add_custom_choices(); null `choices` mean only 1. The generator may call
 *  sartor_bpf_map() only of this runtime, and no functions of the program; its tables are
 *  constants of the variant. `user` must stay valid as long as the runtime. */
sartor_status sartor_bpf_add_custom(sartor_bpf_runtime *runtime, const char *kind,
                                    const char *choices, sartor_generator generator, void *user);
/** Tries configurations (JSON, a list) in turn while packets flow, together with the active one
 *  and generic code, and leaves the best active. It is written to `*best`, unless that is null.
 *  `score` is called with each active, measures over a window of its own, and returns a score:
 *  higher is better. `options`: null, or the options of sartor_strategy_race(). The active
 *  configuration must not be changed meanwhile. */
sartor_status sartor_bpf_autotune(sartor_bpf_runtime *runtime, const char *candidates,
                                  double (*score)(void *user), void *user, const char *options,
                                  char **best);
/** Recompiles variants that depend on maps that have changed; sets `*changed` to 1 if there
 *  were any, else 0. `changed` may be null. */
sartor_status sartor_bpf_refresh(sartor_bpf_runtime *runtime, int *changed);
/** The object's maps: a list with the fields of sartor::BpfMap of each by name;
 *  `invariant_writers` is null, "ours", "watched" or "polled". */
sartor_status sartor_bpf_maps(const sartor_bpf_runtime *runtime, char **json);

/** The active variant of a handler: the fields of sartor::BpfVariant by name, times in seconds.
 *  Fails with unknown_handler. */
sartor_status sartor_bpf_active(const sartor_bpf_runtime *runtime, const char *handler,
                                char **json);
/** File descriptors of the active variant, of generic code, and of a map. The runtime owns
 *  them; the caller must not close them. Valid until sartor_bpf_close(), the first until the
 *  next change. Fail with unknown_handler, bad_bpf_object. */
sartor_status sartor_bpf_program(const sartor_bpf_runtime *runtime, const char *handler, int *out);
sartor_status sartor_bpf_generic_program(const sartor_bpf_runtime *runtime, const char *handler,
                                         int *out);
sartor_status sartor_bpf_map(const sartor_bpf_runtime *runtime, const char *name, int *out);

/** Attach a handler: from now on the kernel calls the active variant. Fail with
 *  unknown_handler, and with bad_attachment if the attachment point is taken or does not exist. */
sartor_status sartor_bpf_attach_xdp(sartor_bpf_runtime *runtime, const char *handler,
                                    const char *interface);
/** Attaches to the tcx hook of an interface (Linux 6.6): for outgoing packets if `egress` is
 *  not 0, else for incoming ones. */
sartor_status sartor_bpf_attach_tc(sartor_bpf_runtime *runtime, const char *handler,
                                   const char *interface, int egress);
/** `group` is a directory of the control groups' file system. */
sartor_status sartor_bpf_attach_cgroup(sartor_bpf_runtime *runtime, const char *handler,
                                       const char *group);
/** Attaches as a filter of a socket, which the caller keeps. */
sartor_status sartor_bpf_attach_socket(sartor_bpf_runtime *runtime, const char *handler,
                                       int socket);
/** Inserts into a slot of a program array of the object, for tail calls. */
sartor_status sartor_bpf_attach_slot(sartor_bpf_runtime *runtime, const char *handler,
                                     const char *map, uint32_t index);
/** Attaches at a link that the caller has made, for any kind of program whose links can be
 *  updated to another program. The link gets generic code again when it is detached, or the
 *  runtime is closed. The caller keeps `link`. */
sartor_status sartor_bpf_attach_link(sartor_bpf_runtime *runtime, const char *handler, int link);
/** Removes all attachments of a handler, and their pins; links stay, with generic code. */
sartor_status sartor_bpf_detach(sartor_bpf_runtime *runtime, const char *handler);

#ifdef __cplusplus
}
#endif

#endif
