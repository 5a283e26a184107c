// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_FACTS_C_API_H
#define SARTOR_RUNTIME_FACTS_C_API_H

#include <sartor/quasi_invariant.hpp>

#include "runtime/c_api.h"

struct sartor_fact {
  sartor::QuasiInvariant fact;
};

#endif
