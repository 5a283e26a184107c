// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PYTHON_VERIFICATION_H
#define SARTOR_PYTHON_VERIFICATION_H

#include <string>
#include <variant>

#include <nanobind/stl/variant.h>

#include "convert.h"

namespace sartor::python {

/// The type of parameters that say which calls are compared.
using WhatIsCompared = std::variant<Verification, std::string>;

/// Throws a ValueError for an unknown word.
inline Verification verification_of(const WhatIsCompared &what) {
  if (const auto *verification = std::get_if<Verification>(&what))
    return *verification;
  const std::string &word = std::get<std::string>(what);
  Verification all;
  all.every = 1;
  if (word == "on")
    return Verification::on();
  if (word == "off")
    return Verification::off();
  if (word == "all")
    return all;
  throw nb::value_error(R"(verify: write "on", "off", "all" or a Verification)");
}

} // namespace sartor::python

#endif
