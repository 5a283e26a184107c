// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_DECLARATION_SECTION_H
#define SARTOR_CORE_SPACE_DECLARATION_SECTION_H

#include <string_view>

namespace sartor::core {

/// The section of an object file in which the compiler plugin records the declarations from a
/// declaration file that it has matched. It has the layout of the section of guards
/// (guard_section.h), with this JSON: [{"file", "line", "what", "found"}].
constexpr const char *kDeclarationSection = ".sartor.declarations";
constexpr std::string_view kDeclarationMagic = "SARTORDE";

} // namespace sartor::core

#endif
