// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/readable_name.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <llvm/Demangle/Demangle.h>

namespace sartor::point {

std::string readable_name(const std::string &symbol) {
  const auto added = std::min(symbol.find(".sartor."), symbol.find(".specialized"));
  const std::string written = symbol.substr(0, added);
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(written.c_str()) || !demangler.isFunction())
    return written;
  const std::unique_ptr<char, decltype(&std::free)> name(
      demangler.getFunctionName(nullptr, nullptr), &std::free);
  return name ? name.get() : written;
}

} // namespace sartor::point
