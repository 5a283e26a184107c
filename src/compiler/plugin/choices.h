// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_CHOICES_H
#define SARTOR_COMPILER_PLUGIN_CHOICES_H

#include <cstdint>
#include <optional>

#include <clang/AST/ASTContext.h>

#include "base/toml.h"

namespace sartor::compiler {

/// Converts a number, or the name of an enumerator, to the bits of a value of an integral type;
/// nothing if it is no value of that type.
std::optional<std::uint64_t> bits_of(const base::TomlValue &choice, clang::QualType type,
                                     const clang::ASTContext &ast);

} // namespace sartor::compiler

#endif
