// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CAPI_FACTS_C_API_H
#define SARTOR_CAPI_FACTS_C_API_H

#include <memory>

#include <sartor/quasi_invariant.hpp>

#include "capi/c_api.h"

struct sartor_fact {
  std::shared_ptr<const sartor::QuasiInvariant> fact;
  std::shared_ptr<sartor::QuasiInvariant> own; ///< Null if it was declared aside from the source.
};

#endif
