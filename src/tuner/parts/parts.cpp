// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/parts/parts.h"

#include <utility>

namespace sartor {

Parts::Parts(Variants &variants, std::vector<Component> components, const Configuration &active,
             const ExplorerOptions &options, std::uint64_t seed) {
  for (Component &component : components)
    parts_.push_back(
        std::make_unique<Part>(variants, std::move(component), active, options, seed++));
}

bool Parts::look() {
  bool are_done = true;
  for (const auto &part : parts_)
    are_done = part->look() && are_done;
  return are_done;
}

Configuration Parts::best() const {
  Configuration all;
  for (const auto &part : parts_)
    if (part->problem().empty())
      all = merged(std::move(all), part->best());
  return all;
}

std::vector<Component> Parts::rest() const {
  std::vector<Component> rest;
  for (const auto &part : parts_)
    if (!part->problem().empty())
      rest.push_back(part->component());
  return rest;
}

} // namespace sartor
