/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Hot Lua functions are run by variants of the interpreter's loop, each made for one function: its
 * bytecode and its constants are promised, so nothing is fetched or decoded any more. What the
 * patch puts into Lua's sources is here. See README.md.
 */
#ifndef LSARTOR_H
#define LSARTOR_H

#include "lobject.h"
#include "lstate.h"

/* A frame that control goes to: its call is to be begun (fresh), or goes on at its saved pc. */
#define lsartor_fresh(ci) ((CallInfo *)((size_t)(ci) | 1))
#define lsartor_isfresh(ci) (((size_t)(ci) & 1) != 0)
#define lsartor_frame(ci) ((CallInfo *)((size_t)(ci) & ~(size_t)1))

/** What a function's count begins with, `Proto::heat`, from which calls are counted down. At 1 the
 *  function is hot; below 0, it has a variant. */
LUAI_DDEC(int lsartor_heat;)
/** Jumps back are counted down in `lua_State::ticks`, from this; at 0, the function that runs then
 *  is the hotter by as many. */
LUAI_DDEC(int lsartor_ticks;)
/** The frame's function is hot or has a variant. Runs what has variants. Returns the frame that the
 *  interpreter is to go on with, or null if the innermost one that C has called has returned. */
LUAI_FUNC CallInfo *lsartor_enter(lua_State *L, CallInfo *frame);
/** The function's memory is about to be given back. */
LUAI_FUNC void lsartor_freeproto(const Proto *p);

#if defined(LSARTOR_VARIANT)
#include "lsartor_variant.h"
#else

#define lsartor_execute void luaV_execute(lua_State *L, CallInfo *ci)
#define lsartor_locals CallInfo *frame_;

/* A call. Of a function that stays cold there is nothing more to look at. */
#define lsartor_count()                                                                            \
  {                                                                                                \
    Proto *p_ = ci_func(ci)->p;                                                                    \
    if (l_likely(p_->heat > 1)) {                                                                  \
      --p_->heat;                                                                                  \
      trap = L->hookmask;                                                                          \
      goto lsartor_cold;                                                                           \
    }                                                                                              \
  }

/* A frame begins, or goes on after a call. */
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

/* A jump back. */
#define lsartor_loop()                                                                             \
  {                                                                                                \
    if (l_unlikely(--L->ticks <= 0)) {                                                             \
      savepc(L);                                                                                   \
      frame_ = lsartor_enter(L, ci);                                                               \
      goto lsartor_entered;                                                                        \
    }                                                                                              \
  }

/* The frame has returned, and C goes on, or Lua's frame `to`. */
#define lsartor_return_to_c() return
#define lsartor_return(to) ((void)(to))

#endif

#endif
