// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/assembly.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/GlobalValue.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr unsigned kMostAlignment = 4096;
constexpr unsigned kMostAlignmentBits = 12;

constexpr auto kAllowed = std::to_array<std::string_view>(
    {".2byte",       ".4byte",      ".8byte",   ".arch",       ".arch_extension", ".ascii",
     ".asciz",       ".att_syntax", ".byte",    ".code16",     ".code16gcc",      ".code32",
     ".code64",      ".cpu",        ".equ",     ".global",     ".globl",          ".hidden",
     ".hword",       ".insn",       ".inst",    ".int",        ".intel_syntax",   ".local",
     ".long",        ".octa",       ".option",  ".popsection", ".previous",       ".protected",
     ".pushsection", ".quad",       ".section", ".set",        ".short",          ".size",
     ".sleb128",     ".string",     ".syntax",  ".text",       ".thumb",          ".type",
     ".uleb128",     ".value",      ".weak",    ".word",       ".xword"});

bool is_of_a_word(char c) { return isAlnum(c) || c == '_' || c == '.' || c == '@'; }

/// Returns the index at which the word that contains `at` begins.
std::size_t begin_of_word(StringRef text, std::size_t at) {
  while (at > 0 && is_of_a_word(text[at - 1]))
    --at;
  return at;
}

/// True if `before` ends with .section or .pushsection, followed by blanks only: the next word is a
/// section's name.
bool is_name_of_section(StringRef before) {
  const StringRef directive = before.rtrim(" \t");
  return directive.size() < before.size() && (directive.ends_with_insensitive(".section") ||
                                              directive.ends_with_insensitive(".pushsection"));
}

/// True if the first argument, the alignment, is a decimal number of at most `most`.
bool is_aligned_within(StringRef arguments, unsigned most) {
  const StringRef digits = arguments.ltrim(" \t").take_while(isDigit);
  const StringRef rest = arguments.ltrim(" \t").drop_front(digits.size()).ltrim(" \t");
  unsigned number = 0;
  return !digits.empty() && !digits.getAsInteger(10, number) && number <= most &&
         (rest.empty() || StringRef(",;\n").contains(rest.front()));
}

bool is_allowed(StringRef directive, StringRef arguments) {
  const std::string name = directive.lower();
  if (name == ".align" || name == ".balign")
    return is_aligned_within(arguments, kMostAlignment);
  if (name == ".p2align")
    return is_aligned_within(arguments, kMostAlignmentBits);
  return name.starts_with(".cfi_") || std::ranges::find(kAllowed, name) != kAllowed.end();
}

bool is_local_label(StringRef word) {
  return word.starts_with(".L") && !word.equals_insensitive(".lcomm");
}

bool has_assembly(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    return call && call->isInlineAsm();
  });
}

// An operand that names such a symbol is read as a directive.
bool looks_like_directive(const GlobalValue &value) {
  StringRef name = value.getName();
  const bool is_verbatim = name.consume_front("\1");
  return name.starts_with(".") && (is_verbatim || !value.hasPrivateLinkage());
}

} // namespace

// Every word that begins with a dot is checked, also in strings and comments, because the start of
// a statement depends on the target's assembler.
std::string directive_problem(StringRef assembly) {
  for (std::size_t at = assembly.find('.'); at != StringRef::npos;
       at = assembly.find('.', at + 1)) {
    const std::size_t begin = begin_of_word(assembly, at);
    if (begin < at && !isDigit(assembly[begin]))
      continue; // the dot is in the middle of a name
    const StringRef word = assembly.drop_front(at).take_while(is_of_a_word);
    const StringRef rest = assembly.drop_front(at + word.size());
    if (is_local_label(word))
      continue;
    // The text of an operand would continue the word.
    if (rest.starts_with("$") || rest.starts_with("\\"))
      return "its inline assembly has a word with an operand in it: " + word.str();
    if (word.size() == 1 || isDigit(word[1]) || is_name_of_section(assembly.take_front(at)) ||
        is_allowed(word, rest))
      continue;
    return "its inline assembly has the directive " + word.str();
  }
  return {};
}

std::string assembly_problem(const Module &module) {
  if (!module.getModuleInlineAsm().empty())
    return "has module-level assembly";
  if (none_of(module, has_assembly))
    return {};
  for (const GlobalValue &value : module.global_values())
    if (looks_like_directive(value))
      return "has inline assembly, and a symbol that the assembler takes for a directive: " +
             value.getName().str();
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function)) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      const auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!assembly)
        continue;
      if (std::string problem = directive_problem(assembly->getAsmString()); !problem.empty())
        return problem;
    }
  return {};
}

} // namespace sartor::compiler
