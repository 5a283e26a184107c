// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/error.hpp>

#include <algorithm>

namespace sartor {

std::string_view to_string(ErrorCode code) {
  switch (code) {
  case ErrorCode::unknown_label:
    return "unknown_label";
  case ErrorCode::value_outside_choices:
    return "value_outside_choices";
  case ErrorCode::bad_value_type:
    return "bad_value_type";
  case ErrorCode::conflicting_label:
    return "conflicting_label";
  case ErrorCode::label_not_constant:
    return "label_not_constant";
  case ErrorCode::point_not_specializable:
    return "point_not_specializable";
  case ErrorCode::no_handler_module:
    return "no_handler_module";
  case ErrorCode::bad_bitcode:
    return "bad_bitcode";
  case ErrorCode::wrong_llvm_version:
    return "wrong_llvm_version";
  case ErrorCode::wrong_target:
    return "wrong_target";
  case ErrorCode::unknown_handler:
    return "unknown_handler";
  case ErrorCode::missing_symbol:
    return "missing_symbol";
  case ErrorCode::unbound_global:
    return "unbound_global";
  case ErrorCode::not_constant:
    return "not_constant";
  case ErrorCode::bad_pipeline:
    return "bad_pipeline";
  case ErrorCode::broken_by_pass:
    return "broken_by_pass";
  case ErrorCode::compile_timeout:
    return "compile_timeout";
  case ErrorCode::compile_failed:
    return "compile_failed";
  case ErrorCode::too_many_bodies:
    return "too_many_bodies";
  case ErrorCode::bad_json:
    return "bad_json";
  case ErrorCode::file_error:
    return "file_error";
  case ErrorCode::bad_objective:
    return "bad_objective";
  case ErrorCode::impure_function:
    return "impure_function";
  case ErrorCode::untied_fast_path:
    return "untied_fast_path";
  case ErrorCode::bad_invariant:
    return "bad_invariant";
  case ErrorCode::called_from_handler:
    return "called_from_handler";
  case ErrorCode::unreadable_memory:
    return "unreadable_memory";
  case ErrorCode::no_profile:
    return "no_profile";
  case ErrorCode::bad_binding:
    return "bad_binding";
  case ErrorCode::unknown_custom_kind:
    return "unknown_custom_kind";
  case ErrorCode::bad_generator:
    return "bad_generator";
  case ErrorCode::generated_invalid_ir:
    return "generated_invalid_ir";
  case ErrorCode::no_clang:
    return "no_clang";
  case ErrorCode::wrong_profile:
    return "wrong_profile";
  case ErrorCode::forbidden_configuration:
    return "forbidden_configuration";
  case ErrorCode::bad_constraint:
    return "bad_constraint";
  case ErrorCode::bad_strategy:
    return "bad_strategy";
  case ErrorCode::wrong_journal:
    return "wrong_journal";
  case ErrorCode::store_unreachable:
    return "store_unreachable";
  case ErrorCode::bad_elf:
    return "bad_elf";
  case ErrorCode::bad_pass:
    return "bad_pass";
  case ErrorCode::bad_settings:
    return "bad_settings";
  case ErrorCode::bad_plan:
    return "bad_plan";
  case ErrorCode::wrong_signature:
    return "wrong_signature";
  case ErrorCode::no_thread:
    return "no_thread";
  case ErrorCode::forked:
    return "forked";
  case ErrorCode::bad_argument:
    return "bad_argument";
  case ErrorCode::already_exploring:
    return "already_exploring";
  case ErrorCode::no_compiler:
    return "no_compiler";
  case ErrorCode::compiler_lost:
    return "compiler_lost";
  case ErrorCode::server_refused:
    return "server_refused";
  case ErrorCode::bad_bpf_object:
    return "bad_bpf_object";
  case ErrorCode::refused_by_verifier:
    return "refused_by_verifier";
  case ErrorCode::not_permitted:
    return "not_permitted";
  case ErrorCode::kernel_lacks:
    return "kernel_lacks";
  case ErrorCode::bad_attachment:
    return "bad_attachment";
  case ErrorCode::bad_choices:
    return "bad_choices";
  case ErrorCode::quarantined:
    return "quarantined";
  case ErrorCode::compile_memory:
    return "compile_memory";
  }
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
