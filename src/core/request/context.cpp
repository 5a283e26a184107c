// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/request/context.h"

#include "base/hash.h"

namespace sartor::core {

namespace {

void add_number(std::string &text, std::uint64_t number) { text += std::to_string(number) + ","; }

} // namespace

bool is_generic(const Context &context) {
  return context.configuration.empty() && context.arguments.empty() && !context.memory &&
         context.instrumented.empty();
}

std::string text(const Context &context) {
  std::string text = context.configuration.text();
  for (const auto &[index, value] : context.arguments)
    text += "\nargument " + std::to_string(index) + "=" + value.text();
  for (const auto &[label, answers] : context.answers) {
    text += "\nanswers " + label + " ";
    add_number(text, answers.version);
    for (const std::uint64_t invariant : answers.invariants)
      add_number(text, invariant);
    for (const Answer &answer : answers.list) {
      for (const std::uint64_t input : answer.inputs)
        add_number(text, input);
      add_number(text, answer.result);
    }
  }
  for (const auto &[label, every] : context.instrumented)
    text += "\ninstrumented " + label + "=" + std::to_string(every);
  for (const auto &[name, kind] : context.custom_kinds)
    text += "\ncustom kind " + name + "=" + std::to_string(kind->number);
  for (const auto &[label, code] : context.generated) {
    text += "\ngenerated " + label + "=" + base::to_text(base::hash_of({code.ir})) + " " +
            code.function + " ";
    for (const std::uint64_t invariant : code.invariants)
      add_number(text, invariant);
  }
  for (const std::string &label : context.holes)
    text += "\nhole " + label;
  return text;
}

Failure unknown_custom_kind(const std::string &label, const std::string &kind) {
  return {ErrorCode::unknown_custom_kind, label,
          "is a custom point of kind \"" + kind + "\", for which there is no generator",
          "add one with Runtime::add_custom() before the label is set"};
}

} // namespace sartor::core
