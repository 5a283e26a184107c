// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/generate.h"

#include <utility>

#include <sartor/read_section.hpp>

#include "runtime/assumptions/registry.h"
#include "runtime/dispatch/dependency.h"
#include "runtime/jit/clang.h"

namespace sartor::runtime {

namespace {

Result<GeneratedCode> call(const Generator &generator, const GeneratorInput &point) {
  const auto failed = [&](std::string message) {
    return std::unexpected(Failure{ErrorCode::bad_generator, point.label, std::move(message),
                                   "see the generator of kind \"" + point.kind + '"'});
  };
  // The invariants that the generator reads are known only after it has run.
  const DependencyOnAny dependency;
  // Revoking an invariant that the generator depends on waits for this read section to end.
  const sartor::detail::ReadSection reading;
  try {
    const std::uint64_t revoked = Registry::instance().revocations();
    GeneratedCode code = generator(point);
    if (code.text.empty())
      return failed("its generator returned no text");
    // If one was revoked meanwhile, the request is repeated or refused for that reason.
    if (revoked == Registry::instance().revocations() &&
        !Registry::instance().are_valid(code.invariants))
      return std::unexpected(Failure{ErrorCode::bad_generator, point.label,
                                     "its generator depends on an invariant that is not valid",
                                     "declare the memory again before the point is set"});
    return code;
  } catch (const std::exception &error) {
    return failed(std::string("its generator failed: ") + error.what());
  } catch (...) {
    return failed("its generator threw something that is not a std::exception");
  }
}

Result<core::Generated> to_ir(GeneratedCode code, const std::string &label,
                              const std::string &target) {
  core::Generated generated{std::move(code.text), std::move(code.function),
                            std::move(code.invariants)};
  if (code.language == GeneratedCode::Language::llvm_ir)
    return generated;
  if (!target.empty())
    code.flags.insert(code.flags.begin(), "--target=" + target);
  auto bitcode = compile_c(generated.ir, code.flags, label);
  if (!bitcode)
    return std::unexpected(std::move(bitcode.error()));
  generated.ir = std::move(*bitcode);
  return generated;
}

} // namespace

Result<core::Context> generate(core::Context context, const Space &space,
                               const std::string &target) {
  for (const auto &[label, setting] : context.configuration) {
    const Point *point = space.find(label);
    if (!point || point->kind != PointKind::custom)
      continue;
    const auto kind = context.custom_kinds.find(point->custom_kind);
    if (kind == context.custom_kinds.end())
      return std::unexpected(core::unknown_custom_kind(label, point->custom_kind));
    auto code =
        call(kind->second->generator, {label, point->custom_kind, context.handler,
                                       setting.values.front(), point->type, point->arguments});
    if (!code)
      return std::unexpected(std::move(code.error()));
    auto generated = to_ir(std::move(*code), label, target);
    if (!generated)
      return std::unexpected(std::move(generated.error()));
    context.generated.emplace(label, std::move(*generated));
  }
  context.custom_kinds.clear();
  return context;
}

} // namespace sartor::runtime
