// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CAPI_GENERATOR_C_H
#define SARTOR_CAPI_GENERATOR_C_H

#include <vector>

#include <sartor/c/generator.h>
#include <sartor/generator.hpp>

namespace sartor {

/// Wraps a C program's generator; empty for null.
Generator c_generator(sartor_generator generator, void *user);
/// Reads a list of values. Throws bad_json.
std::vector<Value> c_choices(const char *json);

} // namespace sartor

#endif
