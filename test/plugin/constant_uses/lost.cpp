// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of watched fields that clang emits as constants. Each line that ends with a comment is
// guarded or listed; `net`: it is listed only because the address is constant.
// clang-format off: one case per line
#include <stdint.h>
#include <string.h>
#include <initializer_list>
#include <tuple>
#include <sartor/watch.h>
struct Inner { long pad; SARTOR_WATCHED int flag; };
struct Config { long a; SARTOR_WATCHED int flag; long b; Inner in; Inner all[3]; };
extern Config config;
SARTOR_WATCHED extern int variable;
void seen(void *);
void seen_flag(int *);
struct Ref { int *p; };
struct Holder { int &to; };
constexpr Holder held{config.flag}; void f_1() { held.to = 3; } // here
constexpr int &same(int &r) { return r; } void f_2() { constexpr int &r = same(config.flag); r = 3; }
constexpr int &to() { return config.flag; } 
void f_3() { to() = 3; }
template <Ref R> void put() { *R.p = 3; } void f_4() { put<Ref{&config.flag}>(); }
static auto captured = [&r = config.flag] { r = 3; }; void f_5() { captured(); } // here
constexpr std::tuple<int &> tied{config.flag}; void f_6() { std::get<0>(tied) = 3; } // here
constexpr int *at[] = {&config.flag}; void f_7() { *at[0] = 3; }
constexpr int *const *deep = at; void f_8() { **deep = 3; }
static constexpr int *p = &config.flag; int *const &ref_to_p = p; void f_9() { *ref_to_p = 3; } // net
consteval Ref made() { return {&config.flag}; }
void f_10() { *made().p = 3; } // net
static Ref computed = made(); void f_11() { *computed.p = 3; } // here
static void *plain = &config; void f_12() { memset(plain, 0, 8); }
static char *bytes = reinterpret_cast<char *>(&config); void f_13() { bytes[8] = 1; }
static Inner *part = &config.in; void f_14() { part->flag = 3; } // here
void f_15() { __asm__ volatile("movl $3, %0" : "=m"(config.flag)); } // here
void f_16() { __asm__ volatile("movl $3, (%0)" :: "r"(&config.flag) : "memory"); } // here
void f_17() { __asm__ volatile("movl $3, config+8(%rip)"); } // net
void f_18() { __asm__ volatile("movl $3, %c0" :: "i"(&config.flag) : "memory"); } // net
static int Config::*members[] = {&Config::flag}; void f_19() { config.*members[0] = 3; } // here
struct M { int Config::*m; }; constexpr M chosen{&Config::flag}; void f_20() { config.*chosen.m = 3; } // here
static const std::initializer_list<int *> list = {&config.flag}; void f_21() { **list.begin() = 3; } // here
static Holder holders[] = {{config.flag}, {variable}}; void f_22() { holders[1].to = 3; } // here
static uintptr_t number = reinterpret_cast<uintptr_t>(&config.flag); void f_23() { *reinterpret_cast<int *>(number) = 3; } // here
struct Static { static inline constinit int *p = &config.in.flag; }; void f_24() { *Static::p = 3; } // here
template <int *P> struct Kept { static constexpr int *p = P; }; void f_25() { *Kept<&config.flag>::p = 3; } // here
void f_26() { static int *const q = &variable; *q = 3; } // here
void f_27() { seen_flag(&to()); }
int *f_28() { return &to(); }
int *volatile kept; void f_29() { kept = &to(); }
void f_30() { held.to += 3; __atomic_fetch_add(&held.to, 1, 5); memset(&held.to, 0, 4); }
void f_31() { constexpr Ref r{&config.flag}; *r.p = 3; } // here
void f_32() { static constexpr Holder h{variable}; h.to++; } // here
extern "C" int renamed __attribute__((alias("mine"))); extern "C" { SARTOR_WATCHED int mine; } void f_33() { renamed = 3; } // net
void f_34() { auto [r] = tied; r = 3; }
constexpr auto constant = [] { config.flag = 3; }; void f_35() { constant(); } // here
