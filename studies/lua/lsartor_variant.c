/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The interpreter's loop as a handler: lvm.c compiled again with other macros. Its other
 * functions get different names, so that they can be inlined. */
#define LSARTOR_VARIANT
#define LUA_CORE
#define LUA_NOBUILTIN /* unlikely paths are not compiled; they would end in a loop that fetches */
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
