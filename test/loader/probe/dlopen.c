// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// argv[1]: the directory of the plug-ins.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include "check.h"

typedef int (*Function)(void);

static const char *directory;

static void *open_plugin(const char *name, int flags) {
  char path[4096];
  snprintf(path, sizeof path, "%s/lib%s.so", directory, name);
  void *handle = dlopen(path, flags);
  if (!handle && !(flags & RTLD_NOLOAD))
    printf("%s\n", dlerror());
  return handle;
}

static int call(void *handle, const char *name) {
  Function function = handle ? (Function)dlsym(handle, name) : NULL;
  return function ? function() : -1;
}

/// Plug-ins also define this: only one that is opened with RTLD_DEEPBIND calls its own.
int shared_name(void) { return 1; }

static void reopened(void) {
  for (int i = 0; i < 3; ++i) {
    CHECK(!open_plugin("probe_counter", RTLD_NOW | RTLD_NOLOAD));
    void *first = open_plugin("probe_counter", RTLD_NOW);
    CHECK(call(first, "count") == 1);
    void *again = open_plugin("probe_counter", RTLD_LAZY);
    CHECK(first == again);
    CHECK(call(again, "count") == 2);
    CHECK(open_plugin("probe_counter", RTLD_NOW | RTLD_NOLOAD) == first);
    CHECK(dlclose(first) == 0 && dlclose(first) == 0 && dlclose(first) == 0);
  }
}

static void scopes(void) {
  void *plain = open_plugin("probe_scope", RTLD_LAZY);
  CHECK(call(plain, "call_shared_name") == 1);
  CHECK(!dlsym(RTLD_DEFAULT, "call_shared_name"));
  dlclose(plain);
  void *deep = open_plugin("probe_scope_deep", RTLD_LAZY | RTLD_DEEPBIND);
  CHECK(call(deep, "call_shared_name") == 2);
  void *needy = open_plugin("probe_needy", RTLD_NOW);
  CHECK(!needy);
  void *global = open_plugin("probe_counter", RTLD_LAZY | RTLD_GLOBAL);
  needy = open_plugin("probe_needy", RTLD_NOW);
  CHECK(call(needy, "count_by_two") == 2);
  dlclose(needy);
  dlclose(global);
  plain = open_plugin("probe_scope", RTLD_LAZY | RTLD_GLOBAL);
  CHECK(dlsym(RTLD_DEFAULT, "call_shared_name") == dlsym(plain, "call_shared_name"));
  dlclose(plain);
}

static void namespaces(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/libprobe_counter.so", directory);
  void *ours = dlopen(path, RTLD_NOW);
  void *theirs = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
  if (CHECK(ours && theirs)) {
    CHECK(call(ours, "count") == 1);
    CHECK(call(theirs, "count") == 1);
    CHECK(dlsym(ours, "count") != dlsym(theirs, "count"));
    Lmid_t id = LM_ID_BASE;
    CHECK(dlinfo(theirs, RTLD_DI_LMID, &id) == 0 && id != LM_ID_BASE);
    dlclose(theirs);
    dlclose(ours);
  }
}

static void addresses(void) {
  Dl_info info;
  void *counter = open_plugin("probe_counter", RTLD_NOW);
  void *function = dlsym(counter, "count");
  CHECK(dladdr(function, &info) && info.dli_saddr == function);
  CHECK(info.dli_sname && strcmp(info.dli_sname, "count") == 0);
  CHECK(info.dli_fname && strstr(info.dli_fname, "libprobe_counter.so"));
  CHECK(memcmp(info.dli_fbase, "\177ELF", 4) == 0);
  struct link_map *map = NULL;
  CHECK(dlinfo(counter, RTLD_DI_LINKMAP, (void *)&map) == 0 && map);
  CHECK(map && (void *)map->l_addr == info.dli_fbase);
  dlclose(counter);
  // Looks up an address in a library that was loaded at start, both through its own address and
  // through the one that calls use.
  void *libc_function = dlsym(RTLD_DEFAULT, "qsort");
  CHECK(dladdr(libc_function, &info) && info.dli_sname && strcmp(info.dli_sname, "qsort") == 0);
  CHECK(info.dli_fname && strstr(info.dli_fname, "libc.so.6"));
  CHECK(libc_function == (void *)qsort);
  CHECK(dladdr((void *)scopes, &info) && memcmp(info.dli_fbase, "\177ELF", 4) == 0);
  CHECK(dlsym(dlopen(NULL, RTLD_NOW), "shared_name") == (void *)shared_name);
  CHECK(!dlopen("libprobe_is_nowhere.so", RTLD_NOW) && strstr(dlerror(), "cannot open shared"));
  CHECK(!dlsym(RTLD_DEFAULT, "is_nowhere") && strstr(dlerror(), "undefined symbol"));
  void *by_name = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  CHECK(by_name && dlsym(by_name, "qsort") == libc_function);
}

int main(int argc, char **argv) {
  directory = argc > 1 ? argv[1] : ".";
  reopened();
  scopes();
  namespaces();
  addresses();
  reopened();
  return wrong_count();
}
