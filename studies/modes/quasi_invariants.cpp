// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "quasi_invariants.h"

#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace modes {

QuasiInvariants::QuasiInvariants(void *file) {
  configuration_.set("file", reinterpret_cast<std::uintptr_t>(file));
  declare("malloc locks", folded_mode());
  declare("file locks", folded_file_mode());
  declare("multibyte", folded_multibyte());
  declare("utf8", folded_utf8());
}

void QuasiInvariants::declare(const std::string &name, const ModesMemory &memory) {
  sartor::QuasiInvariant quasi_invariant(name);
  quasi_invariant.add_part(memory.object, memory.object_size, memory.part, memory.size);
  quasi_invariants_.emplace(name, std::move(quasi_invariant));
}

void QuasiInvariants::settle() {
  for (const auto &[name, quasi_invariant] : quasi_invariants_)
    if (!quasi_invariant.wait_until_valid(std::chrono::seconds(20)))
      throw std::runtime_error("the quasi-invariant \"" + name + "\" does not become valid");
  runtime_.specialize(configuration_);
}

} // namespace modes
