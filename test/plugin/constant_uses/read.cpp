// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses in watched objects that are only read through, or used with the object's own type: none
// is listed.
// clang-format off: one case per line
#include <stdio.h>
#include <string.h>
#include <stdint.h>
#include <algorithm>
#include <vector>
#include <map>
#include <string>
#include <sartor/watch.h>
struct Inner { long pad; SARTOR_WATCHED int flag; };
struct Config { SARTOR_WATCHED int first; SARTOR_WATCHED int flag; long b; Inner in; Inner all[3]; int sum() const { return flag; } virtual int v() { return 1; } void set(int x) { flag = x; } Config() {} Config(int x) : flag(x) {} Config(const Config &) = default; Config &operator=(const Config &) = default; ~Config() {} };
Config make();
Config config;
Config initialized{7};
Config copied = make();
static Config mine{9};
thread_local Config own{3};
Config table[4];
extern Config extern_table[];
SARTOR_WATCHED int variable;
void by_type(Config *);
void by_ref(Config &);
void by_const(const Config &);
void by_value(Config);
void int_const(const int &);
const int *keep_const = &config.flag;
Config *keep = &config;
Config &keep_ref = config;
const void *keep_void = &config;
struct Named { const char *n; Config *c; const int *f; };
static const Named names[] = {{"a", &config, &config.flag}, {"b", &table[1], &table[1].first}, {"c", &mine, &variable}};
const Named *all_names() { return names; }
int f_1() { return config.flag + config.first + variable + table[2].flag + own.flag; }
void f_2() { by_type(&config); by_ref(config); by_const(config); by_value(config); by_type(table); by_type(&table[2]); by_ref(own); }
void f_3() { int_const(config.flag); int_const(variable); int_const(config.first); int_const(table[1].flag); }
int f_4() { return std::max(config.flag, config.first); }
void f_5() { printf("%p %d %p\n", (const void *)&config.flag, config.flag, (const void *)&config); }
void f_6() { config.b = 3; table[1].b = 4; config.in.pad = 3; own.b = 1; mine.b = 3; config.all[1].pad = 1; }
int f_7() { int s = 0; for (auto &e : table) s += e.flag; for (const auto &e : table) s += e.flag; return s; }
void f_8() { for (auto &e : table) e.b = 3; }
int f_9() { return config.sum() + config.v(); }
Config &f_10() { static Config c = make(); return c; }
Config &f_11() { return config; }
Config f_12() { return config; }
int f_13() { Config &r = config; Config *const p = &config; const int &q = config.flag; return r.flag + p->flag + q; }
void f_14() { Config &r = config; by_ref(r); Config *const p = &config; by_type(p); static Config &s = config; by_ref(s); static Config *const t = &mine; by_type(t); }
bool f_15(Config *c) { return c == &config || c - table < 4 || &config.flag == nullptr; }
int f_16() { int x; memcpy(&x, &config.flag, sizeof x); return x + memcmp(&config.flag, &x, 4); }
std::vector<Config *> f_17() { return {&config, &mine}; }
std::map<std::string, Config *> f_18() { return {{"a", &config}}; }
auto f_19() { return [&c = config] { return c.flag; }; }
auto f_20() { return [c = &config] { return c->b = 3; }; }
int f_21() { constexpr const int *p = &config.flag; return *p; }
int f_22() { static constexpr const int *p[] = {&config.flag, &variable}; return *p[0]; }
template <const int *P> int read() { return *P; } int f_23() { return read<&config.flag>(); }
template <Config &C> int read_all() { by_ref(C); return C.flag; } int f_24() { return read_all<config>(); }
size_t f_25() { return sizeof config + sizeof config.flag + alignof(Config); }
int f_27() { return __atomic_load_n(&config.b, 0); }
constexpr Config *where() { return &config; } void f_28() { by_type(where()); }
int f_29(Config &c = config) { return c.flag; } int f_30() { return f_29(); }
void f_32() { config.set(3); }
int f_33() { return ({ Config *q = &config; q->flag; }); }
