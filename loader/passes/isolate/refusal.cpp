// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isolate/refusal.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include <elf.h>

namespace sartor::isolate {

namespace {

using Symbols = std::unordered_map<std::string_view, const sartor_library_symbol *>;

/// True for libraries that are called from everywhere, also by the stock loader.
bool is_everybodys(const Library &library) {
  constexpr std::array<std::string_view, 5> names = {"libc.so.6", "ld-linux-x86-64.so.2",
                                                     "libpthread.so.0", "libdl.so.2", "isolate.so"};
  return std::ranges::any_of(names, [&](auto name) { return library.is_called(name); });
}

/// True for functions of exception handling. Exceptions unwind the frames of all calls, and
/// unwinding ends at a gate. (Jumps over frames are permitted: the agent handles them.)
bool is_of_exceptions(std::string_view name) {
  constexpr std::array<std::string_view, 6> names = {"__cxa_throw",
                                                     "__cxa_rethrow",
                                                     "_Unwind_RaiseException",
                                                     "_Unwind_Resume",
                                                     "_Unwind_Resume_or_Rethrow",
                                                     "_Unwind_ForcedUnwind"};
  return std::ranges::find(names, name) != names.end();
}

/// Returns the exported variables of a library.
Symbols variables_of(const Library &library) {
  Symbols variables;
  for (const sartor_library_symbol &symbol : library.symbols())
    if (symbol.is_defined != 0 && symbol.binding != STB_LOCAL && symbol.type != STT_TLS &&
        library.is_data(symbol.address))
      variables.emplace(symbol.name, &symbol);
  return variables;
}

bool defines(const Library &library, std::string_view name) {
  return std::ranges::any_of(library.symbols(), [&](const sartor_library_symbol &symbol) {
    return symbol.is_defined != 0 && symbol.binding != STB_LOCAL && symbol.name == name;
  });
}

/// True if a name is bound to this library's definition: no earlier library in search order defines
/// it.
bool is_first(const Assignment &all, std::size_t library, std::string_view name) {
  return std::none_of(all.libraries.begin(),
                      all.libraries.begin() + static_cast<std::ptrdiff_t>(library),
                      [&](const Library &before) { return defines(before, name); });
}

/// Describes a relocation by which a library outside of the domain refers to a variable, for
/// messages.
std::string reached_variable(const Assignment &all, std::size_t library) {
  const Symbols variables = variables_of(all.libraries[library]);
  if (variables.empty())
    return {};
  for (std::size_t i = 0; i < all.libraries.size(); ++i) {
    if (all.domains[i] == all.domains[library])
      continue;
    const Library &other = all.libraries[i];
    for (const sartor_relocation &relocation : other.relocations()) {
      const bool is_copy = relocation.type == R_X86_64_COPY;
      if (relocation.symbol == 0 || relocation.symbol >= other.symbols().size() ||
          (!is_copy && relocation.type != R_X86_64_GLOB_DAT && relocation.type != R_X86_64_64))
        continue;
      const std::string_view name = other.symbols()[relocation.symbol].name;
      if (variables.contains(name) && (is_copy || is_first(all, library, name)))
        return std::string(other.about().path) + " uses its variable `" + std::string(name) +
               "`, put both into the domain, or neither";
    }
  }
  return {};
}

} // namespace

std::string why_not(const Assignment &all, std::size_t index) {
  const Library &library = all.libraries[index];
  if (library.about().is_program != 0)
    return "it is the program";
  if (is_everybodys(library))
    return "nothing runs without it";
  if (library.has_writable_code())
    return "it has memory that is writable and executable, link it without -N";
  if (library.is_read_by_loader())
    return "the stock loader reads its data, link it with -z relro";
  for (const sartor_library_symbol &symbol : library.symbols())
    if (is_of_exceptions(symbol.name))
      return std::string("it uses `") + symbol.name +
             "`, and no exception finds its way out of a domain";
  return reached_variable(all, index);
}

} // namespace sartor::isolate
