/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Customization by binding ids (S. Bhatia et al., "Remote Customization of Systems Code for
 * Embedded Devices", EMSOFT 2004, section 3): the paper's names for sartor_bind(),
 * sartor_binding_function() and sartor_release().
 */
#ifndef SARTOR_C_CUSTOMIZE_H
#define SARTOR_C_CUSTOMIZE_H

#include <sartor/c/sartor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Describes how a handler is customized to a context: see sartor_do_customize(). */
typedef struct {
  const char *handler;
  size_t parameters; /**< The number of parameters in the source. */
  /** Called within sartor_do_customize(), on its thread: sets the arguments of a context, which
   *  are all unbound before. Invariants of the context are stored in `*invariant`, which is
   *  null before (sartor_invariant_declare(), sartor_invariant_add_part()); the binding owns it
   *  from then on. Nonzero: there is nothing to customize; the arguments are discarded, and the
   *  binding stands for generic code. */
  int (*collect)(void *context, sartor_argument *arguments, sartor_invariant **invariant);
} sartor_customizer;
/** Identifies a customized binding; 0 is never used. */
typedef uint64_t sartor_binding_id;

/** Customizes a handler to the present state of a context: in the background, shared with equal
 *  contexts, and with code made for similar objects; at most as many versions as
 *  sartor_limit_bindings() allows. `customizer` need not outlive the call. Thread-safe, like
 *  the functions below. */
sartor_status sartor_do_customize(sartor_runtime *runtime, const sartor_customizer *customizer,
                                  void *context, sartor_binding_id *out);
/** A plain function that takes the arguments that are not bound: generic until its code is
 *  ready. The same at each call, valid until the binding is cancelled. Fails with bad_argument
 *  for a binding that was cancelled. */
sartor_status sartor_customized(sartor_binding_id binding_id, void (**out)(void));
/** Revokes the invariants of the context, and releases the function: no thread may be in it any
 *  more. Must not be called within a handler: that fails and changes nothing. */
sartor_status sartor_cancel(sartor_binding_id binding_id);

#ifdef __cplusplus
}
#endif

#endif
