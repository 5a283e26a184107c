/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Macros of the interpreter's loop in the handler. Included by lvm.c before the loop and after
 * its own macros.
 *
 * Registers are stored twice: in Lua's stack, where all other code expects them, and in
 * `known_`, which no other code can reach, so that a variant knows the values it stored. An
 * instruction writes to `known_`, and its results are copied to the stack when it ends;
 * registers that other code wrote on the stack are read again when it returns. */
#ifndef LSARTOR_VARIANT_H
#define LSARTOR_VARIANT_H

#include <sartor/points.h>

#include "lsartor_program.h"

#undef luaV_finishget
#undef luaV_finishset
#undef luaV_lessthan
#undef luaV_lessequal
#undef luaV_equalobj
#undef luaV_concat
#undef luaV_objlen
#undef luaV_tonumber_
LUAI_FUNC int luaV_equalobj(lua_State *L, const TValue *t1, const TValue *t2);
LUAI_FUNC int luaV_tonumber_(const TValue *obj, lua_Number *n);
LUAI_FUNC void luaV_finishget(lua_State *L, const TValue *t, TValue *key, StkId val,
                              const TValue *slot);
LUAI_FUNC void luaV_finishset(lua_State *L, const TValue *t, TValue *key, TValue *val,
                              const TValue *slot);
LUAI_FUNC void luaV_concat(lua_State *L, int total);
LUAI_FUNC void luaV_objlen(lua_State *L, StkId ra, const TValue *rb);

#define ALWAYS static inline __attribute__((always_inline))

#define lsartor_execute                                                                            \
  SARTOR_HANDLER CallInfo *lsartor_run(lua_State *L, CallInfo *ci, int nesting,                    \
                                       const lsartor_Program *own)
#define lsartor_locals                                                                             \
  TValue known_[256];                                                                              \
  char (*lsartor_case)[OP_CALL + 1];                                                               \
  int entry_, n_;                                                                                  \
  lu_byte tag_; /* tag of the instruction's first register as it is on the stack */

#define lsartor_begin()                                                                            \
  {                                                                                                \
    entry_ = 0;                                                                                    \
    pc = own->code;                                                                                \
    k = own->k;                                                                                    \
    cl = clLvalue(&ci->func->val);                                                                 \
    trap = 0;                                                                                      \
    base = ci->func + 1;                                                                           \
    memcpy(known_, base, (size_t)own->registers * sizeof(TValue));                                 \
    goto lsartor_resume;                                                                           \
  }
/* Finds the entry inside the interpreter's loop. The caller has checked that it is one of the
 * entries and that tags match. */
#define find_entry()                                                                               \
  if (entry_ < own->entries_count) {                                                               \
    if (entry_ + 1 < own->entries_count &&                                                         \
        ci->u.l.savedpc - own->code != own->entries[entry_].pc) {                                  \
      ++entry_;                                                                                    \
      goto lsartor_next;                                                                           \
    }                                                                                              \
    for (n_ = 0; n_ < own->registers && n_ < MOST_TAGS; ++n_)                                      \
      if (own->entries[entry_].tags[n_] >= 0)                                                      \
        known_[n_].tt_ = (lu_byte)own->entries[entry_].tags[n_];                                   \
    pc = own->code + own->entries[entry_].pc;                                                      \
    entry_ = own->entries_count;                                                                   \
  }
#define lsartor_count() ((void)0)
#define lsartor_loop() ((void)0)
#define lsartor_return_to_c() return NULL
#define lsartor_return(to) return (to)

/* The current instruction, known at compile time. */
#undef vmcase
#define vmcase(l)                                                                                  \
  case l:                                                                                          \
    for (char (*lsartor_case)[(l) + 1];;)
#define is_op(o) (sizeof(*lsartor_case) - 1 == (o))
#define is_from_to(first, last)                                                                    \
  (sizeof(*lsartor_case) - 1 >= (first) && sizeof(*lsartor_case) - 1 <= (last))

#undef vmfetch
#define vmfetch()                                                                                  \
  lsartor_next:                                                                                    \
  find_entry();                                                                                    \
  if (__builtin_expect(trap, 0)) { /* hooks are set, or registers were written */                  \
    savepc(L);                                                                                     \
    return ci;                                                                                     \
  }                                                                                                \
  i = *(pc++);                                                                                     \
  sartor_assert_const(i); /* otherwise the variant would be a slower interpreter */                \
  ra = RA(i);                                                                                      \
  tag_ = known_[GETARG_A(i)].tt_;

/* Addresses of registers: on the stack, or in `known_`. Some instructions only use the stack. */
#define on_stack(n) (&(base + (n))->val)
#define works_on_stack                                                                             \
  (is_op(OP_LOADNIL) || is_op(OP_NEWTABLE) || is_op(OP_CONCAT) ||                                  \
   is_from_to(OP_CALL, OP_RETURN1) || is_from_to(OP_SETLIST, OP_VARARGPREP))
#undef s2v
#define s2v(o) (works_on_stack ? &(o)->val : &known_[(o) - base])

#define write_back(n)                                                                              \
  {                                                                                                \
    TValue *to_ = on_stack(n);                                                                     \
    to_->value_ = known_[n].value_;                                                                \
    to_->tt_ = known_[n].tt_;                                                                      \
  }
/* Writes a number; a tag that does not change is not written again. */
#define write_number(n)                                                                            \
  {                                                                                                \
    on_stack(n)->value_ = known_[n].value_;                                                        \
    if (known_[n].tt_ != tag_)                                                                     \
      on_stack(n)->tt_ = known_[n].tt_;                                                            \
  }
#define read_again(n, count) memcpy(known_ + (n), base + (n), (size_t)(count) * sizeof(TValue))
/* Also reads registers beyond other frames, or that the collector may have cleared. */
#define read_again_from(n) read_again(n, own->registers - (int)(n))
#define read_captured()                                                                            \
  if (own->captured_count > 0)                                                                     \
  read_again(own->captured, own->captured_count)

/* Other code has run, possibly Lua code. */
#define come_back()                                                                                \
  {                                                                                                \
    updatetrap(ci);                                                                                \
    updatebase(ci);                                                                                \
    read_captured();                                                                               \
    if (is_from_to(OP_GETTABUP, OP_GETFIELD) || is_op(OP_SELF) || is_op(OP_UNM) ||                 \
        is_op(OP_BNOT) || is_op(OP_LEN))                                                           \
      read_again(GETARG_A(i), 1);                                                                  \
    else if (is_from_to(OP_MMBIN, OP_MMBINK))                                                      \
      read_again(GETARG_A(*(pc - 2)), 1);                                                          \
    else if (is_op(OP_TFORCALL))                                                                   \
      read_again_from(GETARG_A(i) + 4);                                                            \
  }

#undef Protect
#undef ProtectNT
#undef checkGC
#define Protect(exp)                                                                               \
  ({                                                                                               \
    if (is_from_to(OP_MMBIN, OP_MMBINK) && own->leaves_arithmetic) { /* to the interpreter */      \
      pc--;                                                                                        \
      savepc(L);                                                                                   \
      return ci;                                                                                   \
    }                                                                                              \
    if (is_op(OP_SELF)) /* has already written one */                                              \
      write_back(GETARG_A(i) + 1);                                                                 \
    savestate(L, ci);                                                                              \
    (exp);                                                                                         \
    come_back();                                                                                   \
  })
#define ProtectNT(exp)                                                                             \
  ({                                                                                               \
    savepc(L);                                                                                     \
    (exp);                                                                                         \
    come_back();                                                                                   \
  })
#define checkGC(L, c) luaC_condGC(L, (savepc(L), L->top = (c)), ({ come_back(); }))

#undef updatestack
#define updatestack(ci)                                                                            \
  {                                                                                                \
    updatebase(ci);                                                                                \
    ra = RA(i);                                                                                    \
  }

#undef vmbreak
#define vmbreak                                                                                    \
  {                                                                                                \
    const int a_ = GETARG_A(i);                                                                    \
    if (is_from_to(OP_MOVE, OP_LOADTRUE) || is_from_to(OP_GETUPVAL, OP_GETFIELD) ||                \
        is_op(OP_SELF) || is_op(OP_BNOT) || is_op(OP_NOT) || is_op(OP_TESTSET))                    \
      if (!is_op(OP_SETUPVAL))                                                                     \
        write_back(a_);                                                                            \
    if (is_from_to(OP_ADDI, OP_SHR) || is_op(OP_UNM))                                              \
      write_number(a_);                                                                            \
    if (is_op(OP_SELF))                                                                            \
      write_back(a_ + 1);                                                                          \
    if (is_op(OP_FORLOOP)) { /* whose tags do not change */                                        \
      on_stack(a_)->value_ = known_[a_].value_;                                                    \
      on_stack(a_ + 1)->value_ = known_[a_ + 1].value_;                                            \
    }                                                                                              \
    if (is_op(OP_TFORLOOP))                                                                        \
      write_back(a_ + 2);                                                                          \
    if (is_op(OP_FORLOOP))                                                                         \
      write_back(a_ + 3);                                                                          \
    if (is_op(OP_NEWTABLE) || is_op(OP_CLOSURE) || is_op(OP_CONCAT) || is_op(OP_CALL) ||           \
        is_op(OP_SETLIST) || is_op(OP_VARARG))                                                     \
      read_again_from(a_);                                                                         \
    if (is_op(OP_LOADNIL))                                                                         \
      read_again(a_, GETARG_B(i) + 1);                                                             \
                                                                                                   \
    if (is_op(OP_VARARGPREP))                                                                      \
      read_again(0, own->registers);                                                               \
    if (is_op(OP_SETUPVAL)) /* debug.upvaluejoin() may redirect it anywhere */                     \
      read_captured();                                                                             \
    goto lsartor_next;                                                                             \
  }

/* Calls: a function without a variant, or nested too deeply, is run by the caller of this one. */
#define luaD_precall(L, func, nresults)                                                            \
  ({                                                                                               \
    CallInfo *next_ = lsartor_call(L, func, nresults, ci, nesting);                                \
    if (next_ != ci)                                                                               \
      return next_;                                                                                \
    updatebase(ci);                                                                                \
    read_captured();                                                                               \
    (CallInfo *)NULL;                                                                              \
  })
#define luaD_pretailcall(L, ci, func, narg1, delta)                                                \
  ({                                                                                               \
    const int results_ = (luaD_pretailcall)(L, ci, func, narg1, delta);                            \
    if (results_ < 0)                                                                              \
      return lsartor_fresh(ci);                                                                    \
    results_ & INT_MAX; /* not negative, made visible to the compiler */                           \
  })

/* Functions that take registers' addresses get those on the stack: they write there, and name
 * the variable in error messages. */
#define luaV_finishget(L, t, key, val, slot)                                                       \
  (luaV_finishget)(L, is_op(OP_GETTABUP) ? (t) : on_stack(GETARG_B(i)),                            \
                   is_op(OP_GETTABLE) ? on_stack(GETARG_C(i)) : (key), val, slot)
#define value_on_stack (TESTARG_k(i) ? k + GETARG_C(i) : on_stack(GETARG_C(i)))
#define luaV_finishset(L, t, key, val, slot)                                                       \
  (luaV_finishset)(L, is_op(OP_SETTABUP) ? (t) : on_stack(GETARG_A(i)),                            \
                   is_op(OP_SETTABLE) ? on_stack(GETARG_B(i)) : (key), value_on_stack, slot)
#define luaT_trybinTM(L, p1, p2, res, event)                                                       \
  (luaT_trybinTM)(L, on_stack(is_op(OP_MMBIN) ? GETARG_A(i) : GETARG_B(i)), on_stack(GETARG_B(i)), \
                  res, event)
#define luaT_trybiniTM(L, p1, imm, flip, res, event)                                               \
  (luaT_trybiniTM)(L, on_stack(GETARG_A(i)), imm, flip, res, event)
#define luaT_trybinassocTM(L, p1, p2, flip, res, event)                                            \
  (luaT_trybinassocTM)(L, on_stack(GETARG_A(i)), p2, flip, res, event)
#define luaT_callorderiTM(L, p1, imm, inv, isfloat, event)                                         \
  (luaT_callorderiTM)(L, on_stack(GETARG_A(i)), imm, inv, isfloat, event)
#define lessthanothers(L, l, r) (lessthanothers)(L, on_stack(GETARG_A(i)), on_stack(GETARG_B(i)))
#define lessequalothers(L, l, r) (lessequalothers)(L, on_stack(GETARG_A(i)), on_stack(GETARG_B(i)))
#define luaV_objlen(L, res, o) lsartor_length(L, res, *(o), on_stack(GETARG_B(i)))
#define luaV_equalobj(L, l, r)                                                                     \
  lsartor_equal(L, *(l), *(r), on_stack(GETARG_A(i)), is_op(OP_EQ) ? on_stack(GETARG_B(i)) : (r))
/* Integer loops are begun here; others by the interpreter, which returns when types are known. */
#define forprep(L, ra)                                                                             \
  ({                                                                                               \
    const int a_ = GETARG_A(i);                                                                    \
    int skip_;                                                                                     \
    if (ttisinteger(&known_[a_]) && ttisinteger(&known_[a_ + 2]) &&                                \
        ivalue(&known_[a_ + 2]) != 0) {                                                            \
      skip_ = lsartor_forprep(L, known_ + a_, on_stack(a_ + 1));                                   \
      write_back(a_ + 1);                                                                          \
      write_back(a_ + 3);                                                                          \
    } else {                                                                                       \
      skip_ = (forprep)(L, ra);                                                                    \
      read_again(a_, 4);                                                                           \
      trap = 1;                                                                                    \
    }                                                                                              \
    skip_;                                                                                         \
  })
#define floatforloop(ra)                                                                           \
  ({                                                                                               \
    const int again_ = (floatforloop)(ra);                                                         \
    read_again(GETARG_A(i), 4);                                                                    \
    again_;                                                                                        \
  })

/* Functions that cannot be inlined get copies. */
#define of_copies(f, l, r)                                                                         \
  ({                                                                                               \
    const TValue l_ = *(l), r_ = *(r);                                                             \
    (f)(&l_, &r_);                                                                                 \
  })
#define LTnum(l, r) of_copies(LTnum, l, r)
#define LEnum(l, r) of_copies(LEnum, l, r)
#define lsartor_tointegerns(o, p, mode)                                                            \
  ({                                                                                               \
    const TValue copy_ = *(o);                                                                     \
    (lsartor_tointegerns)(&copy_, p, mode);                                                        \
  })

/* Inlined table lookup: the hash of a constant is known. */
ALWAYS const TValue *lsartor_getshortstr(Table *t, TString *key) {
  static const TValue absent = {ABSTKEYCONSTANT};
  for (Node *n = gnode(t, lmod(key->hash, sizenode(t)));; n += gnext(n)) {
    if (keyisshrstr(n) && eqshrstr(keystrval(n), key))
      return gval(n);
    if (gnext(n) == 0)
      return &absent;
  }
}
ALWAYS const TValue *lsartor_getstr(Table *t, TString *key) {
  return key->tt == LUA_VSHRSTR ? lsartor_getshortstr(t, key) : luaH_getstr(t, key);
}
ALWAYS const TValue *lsartor_get(Table *t, const TValue *key, const TValue *on_stack) {
  return ttisshrstring(key) ? lsartor_getshortstr(t, tsvalue(key)) : luaH_get(t, on_stack);
}
/* A key that the object itself lacks is looked up in its class, unless a function has to be
 * called for it. */
#undef luaV_fastget
#define luaV_fastget(L, t, k, slot, f)                                                             \
  (!ttistable(t) ? (slot = NULL, 0)                                                                \
                 : (slot = f(hvalue(t), k),                                                        \
                    !isempty(slot) || (is_by_name && is_inherited(L, hvalue(t), k, slot))))
#define is_by_name (is_op(OP_GETTABUP) || is_op(OP_GETFIELD) || is_op(OP_SELF))
#define is_inherited(L, t, key, slot)                                                              \
  ({                                                                                               \
    const TValue *found_ = lsartor_inherited(L, t, (const TString *)(key));                        \
    found_ != NULL && (slot = found_, 1);                                                          \
  })
#define luaH_getshortstr(t, key) lsartor_getshortstr(t, key)
#define luaH_getstr(t, key) lsartor_getstr(t, key)
#define luaH_get(t, key)                                                                           \
  lsartor_get(t, key, on_stack(is_op(OP_GETTABLE) ? GETARG_C(i) : GETARG_B(i)))

/* As forprep(), for integers. `limit` is read from the stack. */
ALWAYS int lsartor_forprep(lua_State *L, TValue *known, const TValue *on_stack) {
  const lua_Integer init = ivalue(known);
  const lua_Integer step = ivalue(known + 2);
  lua_Integer limit;
  setivalue(known + 3, init);
  if (ttisinteger(known + 1)) {
    limit = ivalue(known + 1);
    if (step > 0 ? init > limit : init < limit)
      return 1;
  } else if (forlimit(L, init, on_stack, &limit, step))
    return 1;
  lua_Unsigned count;
  if (step > 0) {
    count = l_castS2U(limit) - l_castS2U(init);
    if (step != 1)
      count /= l_castS2U(step);
  } else {
    count = l_castS2U(init) - l_castS2U(limit);
    count /= l_castS2U(-(step + 1)) + 1U;
  }
  setivalue(known + 1, l_castU2S(count));
  return 0;
}

ALWAYS void lsartor_length(lua_State *L, StkId res, TValue o, const TValue *on_stack) {
  if (ttistable(&o) && hvalue(&o)->metatable == NULL) {
    setivalue(&res->val, (lua_Integer)luaH_getn(hvalue(&o)));
  } else if (ttisstring(&o)) {
    setivalue(&res->val, (lua_Integer)vslen(&o));
  } else
    (luaV_objlen)(L, res, on_stack);
}

ALWAYS int lsartor_equal(lua_State *L, TValue l, TValue r, const TValue *l_on_stack,
                         const TValue *r_on_stack) {
  if (ttypetag(&l) == ttypetag(&r))
    switch (ttypetag(&l)) {
    case LUA_VNIL:
    case LUA_VFALSE:
    case LUA_VTRUE:
      return 1;
    case LUA_VNUMINT:
      return ivalue(&l) == ivalue(&r);
    case LUA_VNUMFLT:
      return luai_numeq(fltvalue(&l), fltvalue(&r));
    case LUA_VSHRSTR:
      return eqshrstr(tsvalue(&l), tsvalue(&r));
    case LUA_VTABLE:
      if (hvalue(&l) == hvalue(&r))
        return 1;
      if (hvalue(&l)->metatable == NULL && hvalue(&r)->metatable == NULL)
        return 0;
      break;
    default:
      break;
    }
  else if (ttype(&l) != ttype(&r))
    return 0;
  return (luaV_equalobj)(L, l_on_stack, r_on_stack);
}

#endif
