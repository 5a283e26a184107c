// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "facts.h"

#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace modes {

Facts::Facts(void *file) {
  configuration_.set("file", reinterpret_cast<std::uintptr_t>(file));
  declare("malloc locks", folded_mode());
  declare("file locks", folded_file_mode());
  declare("multibyte", folded_multibyte());
  declare("utf8", folded_utf8());
}

void Facts::declare(const std::string &name, const modes_memory &memory) {
  sartor::QuasiInvariant fact(name);
  fact.add_part(memory.object, memory.object_size, memory.part, memory.size);
  facts_.emplace(name, std::move(fact));
}

void Facts::settle() {
  for (const auto &[name, fact] : facts_)
    if (!fact.wait_until_holds(std::chrono::seconds(20)))
      throw std::runtime_error("the fact \"" + name + "\" does not come to hold");
  runtime_.specialize(configuration_);
}

} // namespace modes
