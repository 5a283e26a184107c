// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/error.hpp>

#include <algorithm>

namespace sartor {

std::string_view to_string(ErrorCode code) {
// Each is called by its own name.
#define SARTOR_NAMED(name)                                                                         \
  case ErrorCode::name:                                                                            \
    return #name
  switch (code) {
    SARTOR_NAMED(unknown_label);
    SARTOR_NAMED(value_outside_choices);
    SARTOR_NAMED(bad_value_type);
    SARTOR_NAMED(conflicting_label);
    SARTOR_NAMED(label_not_constant);
    SARTOR_NAMED(point_not_specializable);
    SARTOR_NAMED(no_handler_module);
    SARTOR_NAMED(bad_bitcode);
    SARTOR_NAMED(wrong_llvm_version);
    SARTOR_NAMED(wrong_target);
    SARTOR_NAMED(unknown_handler);
    SARTOR_NAMED(missing_symbol);
    SARTOR_NAMED(unbound_global);
    SARTOR_NAMED(not_constant);
    SARTOR_NAMED(bad_pipeline);
    SARTOR_NAMED(broken_by_pass);
    SARTOR_NAMED(compile_timeout);
    SARTOR_NAMED(compile_failed);
    SARTOR_NAMED(too_many_bodies);
    SARTOR_NAMED(bad_json);
    SARTOR_NAMED(file_error);
    SARTOR_NAMED(bad_objective);
    SARTOR_NAMED(impure_function);
    SARTOR_NAMED(untied_fast_path);
    SARTOR_NAMED(bad_invariant);
    SARTOR_NAMED(called_from_handler);
    SARTOR_NAMED(unreadable_memory);
    SARTOR_NAMED(no_profile);
    SARTOR_NAMED(bad_binding);
    SARTOR_NAMED(unknown_custom_kind);
    SARTOR_NAMED(bad_generator);
    SARTOR_NAMED(generated_invalid_ir);
    SARTOR_NAMED(no_clang);
    SARTOR_NAMED(wrong_profile);
    SARTOR_NAMED(forbidden_configuration);
    SARTOR_NAMED(bad_constraint);
    SARTOR_NAMED(bad_strategy);
    SARTOR_NAMED(wrong_journal);
    SARTOR_NAMED(store_unreachable);
    SARTOR_NAMED(bad_elf);
    SARTOR_NAMED(bad_pass);
    SARTOR_NAMED(bad_settings);
    SARTOR_NAMED(bad_plan);
    SARTOR_NAMED(wrong_signature);
    SARTOR_NAMED(no_thread);
    SARTOR_NAMED(forked);
    SARTOR_NAMED(bad_argument);
    SARTOR_NAMED(already_exploring);
    SARTOR_NAMED(no_compiler);
    SARTOR_NAMED(compiler_lost);
    SARTOR_NAMED(server_refused);
    SARTOR_NAMED(bad_bpf_object);
    SARTOR_NAMED(refused_by_verifier);
    SARTOR_NAMED(not_permitted);
    SARTOR_NAMED(kernel_lacks);
    SARTOR_NAMED(bad_attachment);
    SARTOR_NAMED(bad_choices);
    SARTOR_NAMED(quarantined);
    SARTOR_NAMED(compile_memory);
    SARTOR_NAMED(closing);
  }
#undef SARTOR_NAMED
  return {}; // C programs may pass any number
}

std::string Failure::text() const {
  std::string line(to_string(code));
  if (!subject.empty())
    line += ": \"" + subject + '"';
  if (!message.empty())
    line += ": " + message;
  if (!remedy.empty())
    line += " (" + remedy + ')';
  // Messages of LLVM may have several lines.
  std::ranges::replace(line, '\n', ' ');
  return line;
}

} // namespace sartor
