// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functions.h"

#include <algorithm>

#include "balancer_control.h"
#include "bridge_control.h"
#include "firewall_control.h"
#include "nat_control.h"
#include "policer_control.h"

namespace nf {

std::span<const Function *const> all_functions() {
  static constexpr const Function *all[] = {&balancer_function, &bridge_function,
                                            &firewall_function, &nat_function, &policer_function};
  return all;
}

const Function *function_named(std::string_view name) {
  const auto found =
      std::ranges::find_if(all_functions(), [&](const Function *one) { return one->name == name; });
  return found == all_functions().end() ? nullptr : *found;
}

} // namespace nf
