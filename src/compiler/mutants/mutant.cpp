// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/mutants/mutant.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

namespace sartor::compiler {

namespace {

using Stage = MutantKind::Stage;

constexpr std::string_view kPrefix = "mutant ";

constexpr std::array kKinds{
    MutantKind{"mutant constant_off", Stage::last, constant_off},
    MutantKind{"mutant branch_inverted", Stage::last, branch_inverted},
    MutantKind{"mutant store_dropped", Stage::last, store_dropped},
    MutantKind{"mutant guard_removed", Stage::last, guard_removed},
    MutantKind{"mutant stale_load", Stage::last, stale_load},
    MutantKind{"mutant lanes_swapped", Stage::last, lanes_swapped},
    MutantKind{"mutant sign_lost", Stage::last, sign_lost},
    MutantKind{"mutant stale_invariant", Stage::memory, nullptr},
    MutantKind{"mutant escaped_local", Stage::first, escaped_local},
    MutantKind{"mutant null_load", Stage::last, null_load},
    MutantKind{"mutant signedness", Stage::last, signedness},
    MutantKind{"mutant shift_off", Stage::last, shift_off},
    MutantKind{"mutant select_swapped", Stage::last, select_swapped},
    MutantKind{"mutant loop_short", Stage::last, loop_short},
    MutantKind{"mutant argument_replaced", Stage::last, argument_replaced},
    MutantKind{"mutant float_reassociated", Stage::last, float_reassociated},
    MutantKind{"mutant trunc_narrow", Stage::last, trunc_narrow},
    MutantKind{"mutant phi_swapped", Stage::last, phi_swapped},
    MutantKind{"mutant memcpy_short", Stage::last, memcpy_short},
    MutantKind{"mutant mask_changed", Stage::last, mask_changed},
    MutantKind{"mutant infinite_loop", Stage::last, infinite_loop},
    MutantKind{"mutant unreachable", Stage::first, unreachable},
};

std::string all_names() {
  std::string names;
  for (const MutantKind &kind : kKinds)
    names += (names.empty() ? "" : ", ") + kind.name().str();
  return names;
}

} // namespace

llvm::StringRef MutantKind::name() const { return llvm::StringRef(pass).substr(kPrefix.size()); }

std::span<const MutantKind> mutant_kinds() { return kKinds; }

std::string Mutant::text() const { return kind->name().str() + ":" + std::to_string(place); }

Result<std::optional<Mutant>> mutant_in_environment() {
  const char *wanted = std::getenv("SARTOR_MUTANT");
  if (!wanted)
    return std::nullopt;
  const auto [name, number] = llvm::StringRef(wanted).split(':');
  const auto kind = std::ranges::find(kKinds, name, &MutantKind::name);
  std::uint64_t place = 0;
  if (kind == kKinds.end() || (!number.empty() && number.getAsInteger(10, place)))
    return std::unexpected(
        Failure{ErrorCode::bad_argument, "SARTOR_MUTANT",
                "is \"" + std::string(wanted) + "\", which is no mutant",
                "set it to kind or kind:n, with one of the kinds " + all_names()});
  return Mutant{&*kind, place};
}

void report_mutant(const Mutant &mutant, const std::string &what) {
  llvm::errs() << "sartor: mutant " << mutant.text() << ": " << what << '\n';
}

} // namespace sartor::compiler
