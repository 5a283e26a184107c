// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/loader_callers.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>

#include <elf.h>

namespace sartor::loader {

namespace {

bool is_jump(CallSite::Kind kind) {
  return kind == CallSite::Kind::jump_stub || kind == CallSite::Kind::jump_stub_if ||
         kind == CallSite::Kind::jump_slot;
}

bool is_call(CallSite::Kind kind) {
  return kind == CallSite::Kind::call_stub || kind == CallSite::Kind::call_slot;
}

/// Returns the call sites in a function.
auto sites_in(const Library &library, const CodeRange &function) {
  const auto &sites = library.code.sites;
  return std::ranges::subrange(
      std::ranges::lower_bound(sites, function.begin, {}, &CallSite::address),
      std::ranges::lower_bound(sites, function.end, {}, &CallSite::address));
}

} // namespace

/// True if a relocation is for a function that identifies its caller.
bool LoaderCallers::is_asked_for(const Library &library, std::uint32_t relocation) const {
  constexpr std::array<std::string_view, 4> names = {"dlsym", "dlvsym", "dlopen", "dlmopen"};
  const std::uint32_t symbol = library.file.relocations()[relocation].symbol;
  const auto &symbols = library.file.symbols();
  return symbol != 0 && symbol < symbols.size() &&
         std::ranges::find(names, symbols[symbol].name) != names.end();
}

bool LoaderCallers::passes_on(std::size_t library, std::uint64_t address) {
  const CodeRange *function = range_at(image_.libraries[library].code.functions(), address);
  return function != nullptr && passing_on(library).functions.contains(function->begin);
}

const LoaderCallers::PassingOn &LoaderCallers::passing_on(std::size_t index) {
  const auto [entry, is_new] = known_.try_emplace(index);
  PassingOn &found = entry->second;
  if (!is_new)
    return found;
  const Library &library = image_.libraries[index];
  const auto &functions = library.code.functions();
  for (const CallSite &site : library.code.sites) {
    if (is_call(site.kind) || !is_asked_for(library, site.relocation))
      continue;
    if (const CodeRange *function = range_at(functions, site.address))
      found.functions.insert(function->begin);
    found.has_pointers |= site.kind == CallSite::Kind::load_slot;
  }
  const auto &relocations = library.file.relocations();
  for (std::uint32_t i = 0; i < relocations.size(); ++i)
    found.has_pointers |= relocations[i].type == R_X86_64_64 && is_asked_for(library, i);
  // Functions that jump to functions that pass it on do so themselves.
  for (bool changes = !found.functions.empty(); changes;) {
    changes = false;
    for (const CodeRange &function : functions) {
      const auto code = library.file.at(function.begin, function.end - function.begin);
      if (!code || found.functions.contains(function.begin))
        continue;
      const auto leads_on = [&](std::uint64_t address) {
        const CodeRange *target = range_at(functions, address);
        return target != nullptr && found.functions.contains(target->begin);
      };
      const bool jumps = std::ranges::any_of(branches_out_of(*code), [&](const Displacement &each) {
        return each.kind == Displacement::Kind::jump &&
               leads_on(function.begin + static_cast<std::uint64_t>(target_of(*code, each)));
      });
      const bool tails =
          std::ranges::any_of(sites_in(library, function), [&](const CallSite &site) {
            const auto target = library.targets.find(site.relocation);
            return is_jump(site.kind) && target != library.targets.end() &&
                   target->second.library == index && leads_on(target->second.address);
          });
      if (!jumps && !tails)
        continue;
      found.functions.insert(function.begin);
      changes = true;
    }
  }
  found.has_pointers |= !found.functions.empty();
  return found;
}

bool LoaderCallers::may_call(std::size_t index, const CodeRange &function,
                             const FunctionCode &code) {
  const Library &library = image_.libraries[index];
  const PassingOn &own = passing_on(index);
  if (own.functions.contains(function.begin) || (own.has_pointers && code.has_indirect_branch))
    return true;
  for (const CallSite &site : sites_in(library, function)) {
    if (is_asked_for(library, site.relocation))
      return true;
    const auto target = library.targets.find(site.relocation);
    if (target != library.targets.end() &&
        passes_on(target->second.library, target->second.address))
      return true;
  }
  const auto bytes = library.file.at(function.begin, function.end - function.begin);
  return std::ranges::any_of(code.displacements, [&](const Displacement &each) {
    return each.kind != Displacement::Kind::operand &&
           passes_on(index, function.begin + static_cast<std::uint64_t>(target_of(*bytes, each)));
  });
}

} // namespace sartor::loader
