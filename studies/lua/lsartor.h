/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Hot Lua functions run in variants of the interpreter's loop, each specialized to one
 * function: its bytecode and constants are invariants, so instructions are no longer fetched or
 * decoded. This header declares what the patch adds to Lua's sources. See README.md. */
#ifndef LSARTOR_H
#define LSARTOR_H

#include "lobject.h"
#include "lstate.h"

/* The frame that control transfers to: its call has to be begun (fresh), or continues at its
 * saved pc. */
#define lsartor_fresh(ci) ((CallInfo *)((size_t)(ci) | 1))
#define lsartor_isfresh(ci) (((size_t)(ci) & 1) != 0)
#define lsartor_frame(ci) ((CallInfo *)((size_t)(ci) & ~(size_t)1))

/** The initial value of `Proto::heat`, which calls count down. At 1 the function is hot; below 0
 * it has a variant. */
LUAI_DDEC(int lsartor_heat;)
/** The initial value of `lua_State::ticks`, which backward jumps count down; at 0, the heat of
 * the running function is counted down by as many. */
LUAI_DDEC(int lsartor_ticks;)
/** Called if the frame's function is hot or has a variant. Runs functions that have variants.
 * Returns the frame with which the interpreter continues, or null if the innermost frame called
 * by C has returned. */
LUAI_FUNC CallInfo *lsartor_enter(lua_State *L, CallInfo *frame);
/** Must be called when the collector knows which objects are dead, before it frees any of them,
 * and before a state is closed. A function's constants, which its variant depends on, may be freed
 * before the function itself, and their memory used for others. */
LUAI_FUNC void lsartor_collect(const global_State *g, int is_closed);

#if defined(LSARTOR_VARIANT)
#include "lsartor_variant.h"
#else

#define lsartor_execute void luaV_execute(lua_State *L, CallInfo *ci)
#define lsartor_locals CallInfo *frame_;

/* Counts a call. A function that stays interpreted needs no further check. */
#define lsartor_count()                                                                            \
  {                                                                                                \
    Proto *p_ = ci_func(ci)->p;                                                                    \
    if (l_likely(p_->heat > 1)) {                                                                  \
      --p_->heat;                                                                                  \
      trap = L->hookmask;                                                                          \
      goto lsartor_cold;                                                                           \
    }                                                                                              \
  }

/* A frame begins, or continues after a call. */
#define lsartor_begin()                                                                            \
  {                                                                                                \
    Proto *p_ = ci_func(ci)->p;                                                                    \
    if (l_unlikely(p_->heat <= 1)) {                                                               \
      frame_ = lsartor_enter(L, lsartor_fresh(ci));                                                \
    lsartor_entered:                                                                               \
      if (frame_ == NULL)                                                                          \
        return;                                                                                    \
      ci = lsartor_frame(frame_);                                                                  \
      trap = L->hookmask;                                                                          \
      if (!lsartor_isfresh(frame_)) {                                                              \
        cl = ci_func(ci);                                                                          \
        k = cl->p->k;                                                                              \
        pc = ci->u.l.savedpc;                                                                      \
        if (l_unlikely(trap))                                                                      \
          ci->u.l.trap = 1;                                                                        \
        goto lsartor_resume;                                                                       \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  lsartor_cold:

/* Counts a backward jump. */
#define lsartor_loop()                                                                             \
  {                                                                                                \
    if (l_unlikely(--L->ticks <= 0)) {                                                             \
      savepc(L);                                                                                   \
      frame_ = lsartor_enter(L, ci);                                                               \
      goto lsartor_entered;                                                                        \
    }                                                                                              \
  }

/* The frame has returned to C, or to Lua's frame `to`. */
#define lsartor_return_to_c() return
#define lsartor_return(to) ((void)(to))

#endif

#endif
