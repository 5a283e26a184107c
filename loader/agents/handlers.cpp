// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The agent of the pass `handlers`. Before the program begins, it opens a runtime for each library
// that carries handlers and that the pass names, and redirects calls of these handlers to it. If
// anything is missing, the program begins with the library's own code.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <dlfcn.h>
#include <link.h>

#include <sartor/c/explorer.h>
#include <sartor/c/sartor.h>
#include <sartor/module.h>

#include "agents/dynamic.h"
#include "agents/environment.h"
#include "agents/slots.h"

namespace sartor::agents {

namespace {

/// Modules of one library, as its constructors register them.
struct Carried {
  const sartor_module *begin;
  const sartor_module *end;
  const void *code;
};

/// Returns the registered modules. It is a function because other constructors may run before those
/// of this library.
std::vector<Carried> &carried() {
  static auto *all = new std::vector<Carried>;
  return *all;
}

/// Functions of libsartor, which is loaded on demand and not linked, because it brings LLVM along.
struct RuntimeLibrary {
  decltype(&sartor_open_modules) open_modules;
  decltype(&sartor_specialize) specialize;
  decltype(&sartor_explorer_start) start_explorer;
  decltype(&sartor_handler) handler;
  decltype(&sartor_last_error) last_error;

  /// Returns false if the library or a function is missing; dlerror() gives the reason.
  bool open() {
    void *library = dlopen("libsartor.so.0", RTLD_NOW | RTLD_LOCAL);
    const auto find = [library](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          library ? dlsym(library, name) : nullptr);
      return function != nullptr;
    };
    return find(open_modules, "sartor_open_modules") && find(specialize, "sartor_specialize") &&
           find(start_explorer, "sartor_explorer_start") && find(handler, "sartor_handler") &&
           find(last_error, "sartor_last_error");
  }
};

void complain(const std::string &library, const char *what) {
  std::fprintf(stderr, "sartor: %s: %s (it runs its own code)\n", library.c_str(), what);
}

/// Returns the writes that redirect calls through slots of the procedure linkage table. Other slots
/// hold the function's address as a value, which must stay equal for all code that compares it.
std::vector<Write> leading_calls(const char *function, void *native, void *entry) {
  const std::string_view name(function);
  const auto code = reinterpret_cast<std::uintptr_t>(native);
  const bool is_the_one_found = dlsym(RTLD_DEFAULT, function) == native; // by an unbound slot
  std::vector<Write> writes;
  for_each_object([&](const dl_phdr_info &object) {
    Object(object).for_each_slot([&](const Slot &slot) {
      if (slot.type != R_X86_64_JUMP_SLOT || slot.name != name)
        return;
      const std::uintptr_t value = *slot.address;
      if (value == code || (is_the_one_found && segment_at(object, value)))
        writes.push_back({slot.address, reinterpret_cast<std::uintptr_t>(entry)});
    });
  });
  return writes;
}

/// Redirects calls of the library's handlers to their entries. The runtime knows which handlers
/// exist; the modules hold their names and addresses.
void lead_calls(const RuntimeLibrary &library, sartor_runtime *runtime, const Carried &carried) {
  for (const sartor_module &module : std::span(carried.begin, carried.end))
    for (const sartor_symbol &symbol : std::span(module.symbols, module.symbol_count)) {
      void (*entry)() = nullptr;
      if (library.handler(runtime, symbol.name, &entry) != SARTOR_OK)
        continue;
      const auto writes =
          leading_calls(symbol.name, symbol.address, reinterpret_cast<void *>(entry));
      write_all(writes.data(), writes.size());
    }
}

/// Applies `wish`, which is a configuration as JSON, or "tune HANDLER".
bool grant(const RuntimeLibrary &library, sartor_runtime *runtime, const std::string &wish) {
  constexpr const char *tune = "tune ";
  if (!wish.starts_with(tune))
    return library.specialize(runtime, wish.c_str()) == SARTOR_OK;
  const std::string handler = wish.substr(std::strlen(tune));
  sartor_objective objective{};
  objective.kind = SARTOR_CALL;
  objective.handler = handler.c_str();
  sartor_explorer *explorer = nullptr; // never freed: lives as long as the process
  return library.start_explorer(runtime, &objective, nullptr, nullptr, &explorer) == SARTOR_OK;
}

const Carried *find_carried(const std::string &path) {
  for (const Carried &each : carried())
    if (Dl_info info; dladdr(each.code, &info) != 0 && path == info.dli_fname)
      return &each;
  return nullptr;
}

void fit(const RuntimeLibrary &library, const std::string &path, const std::string &wish) {
  const Carried *found = find_carried(path);
  if (!found)
    return complain(path, "has no handler table: build it again");
  sartor_runtime *runtime = nullptr; // never freed: lives as long as the process
  if (library.open_modules(found->begin, found->end, &runtime) != SARTOR_OK ||
      !grant(library, runtime, wish))
    return complain(path, library.last_error());
  lead_calls(library, runtime, *found);
}

/// Applies `wishes`: one line PATH=WISH for each library.
void fit_all(std::string_view wishes) {
  RuntimeLibrary library;
  if (!library.open()) {
    std::fprintf(stderr, "sartor: %s (libraries run their own code)\n", dlerror());
    return;
  }
  while (!wishes.empty()) {
    const std::string_view line = wishes.substr(0, wishes.find('\n'));
    const std::size_t equals = line.find('=');
    fit(library, std::string(line.substr(0, equals)), std::string(line.substr(equals + 1)));
    wishes.remove_prefix(std::min(line.size() + 1, wishes.size()));
  }
}

} // namespace

extern "C" {

void sartor_register_modules(const sartor_module *begin, const sartor_module *end,
                             const void *code) {
  const auto is_same = [&](const Carried &other) { return other.begin == begin; };
  // Each object file of the library registers all of its modules.
  if (std::ranges::none_of(carried(), is_same))
    carried().push_back({begin, end, code});
}

/// Replaces the C library's function, which the program's first code calls when all its libraries
/// are initialized.
// NOLINTNEXTLINE(readability-identifier-naming): the C library's
int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments,
                      void (*start)(), void (*end)(), void (*loader_end)(), void *stack) {
  leave_preload();
  if (const char *wishes = take_variable("SARTOR_HANDLERS"))
    fit_all(wishes);
  const auto real =
      reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return real(main, count, arguments, start, end, loader_end, stack);
}
}

} // namespace sartor::agents
