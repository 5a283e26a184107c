// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_CHANGED_CHOICES_H
#define SARTOR_COMPILER_PLUGIN_CHANGED_CHOICES_H

#include <clang/AST/Decl.h>
#include <clang/Basic/Diagnostic.h>

namespace sartor::compiler {

/// Warns of each choice of a point whose value the point's type cannot hold, such as 300 for an
/// unsigned char. C++ rejects such choices. C converts them, and clang does not warn of conversions
/// in the macros of a system header. Ignores variables that are not the choices of a point.
void warn_of_changed_choices(const clang::VarDecl &variable, clang::DiagnosticsEngine &diagnostics);

} // namespace sartor::compiler

#endif
