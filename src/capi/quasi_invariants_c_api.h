// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CAPI_QUASI_INVARIANTS_C_API_H
#define SARTOR_CAPI_QUASI_INVARIANTS_C_API_H

#include <memory>

#include <sartor/quasi_invariant.hpp>

#include "capi/c_api.h"

struct sartor_quasi_invariant {
  std::shared_ptr<const sartor::QuasiInvariant> quasi_invariant;
  std::shared_ptr<sartor::QuasiInvariant> own; ///< Null if it was declared outside the source.
};

#endif
