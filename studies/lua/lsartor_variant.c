/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The interpreter's loop as a handler: lvm.c once more, with other macros. All else in it comes
 * along under other names, so that it can be inlined.
 */
#define LSARTOR_VARIANT
#define LUA_CORE
#define LUA_NOBUILTIN /* what is unlikely is not followed, and would end in a loop that fetches */
#define LUA_USE_JUMPTABLE 0

#define luaV_tonumber_ lsartor_tonumber_
#define luaV_flttointeger lsartor_flttointeger
#define luaV_tointegerns lsartor_tointegerns
#define luaV_tointeger lsartor_tointeger
#define luaV_finishget lsartor_finishget
#define luaV_finishset lsartor_finishset
#define luaV_lessthan lsartor_lessthan
#define luaV_lessequal lsartor_lessequal
#define luaV_equalobj lsartor_equalobj
#define luaV_concat lsartor_concat
#define luaV_objlen lsartor_objlen
#define luaV_idiv lsartor_idiv
#define luaV_mod lsartor_mod
#define luaV_modf lsartor_modf
#define luaV_shiftl lsartor_shiftl
#define luaV_finishOp lsartor_finishOp

#include "lvm.c"
