// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build_point.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include "compiler/codegen/compile.h"
#include "compiler/codegen/make_image.h"
#include "compiler/frontend/host.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/specialize/custom.h"
#include "runtime/codemem/linker.h"
#include "runtime/jit/generate.h"

namespace sartor::testing_custom {

namespace {

struct Ir {
  std::string type;
  std::string attribute;
};

Ir ir_of(const PointType &type) {
  switch (type.kind) {
  case PointType::Class::boolean:
    return {"i1", " zeroext"};
  case PointType::Class::pointer:
    return {"ptr", ""};
  case PointType::Class::floating:
    return {type.bits == 32 ? "float" : "double", ""};
  case PointType::Class::integer:
    break;
  }
  return {"i" + std::to_string(type.bits),
          type.bits >= 32 ? "" : (type.is_signed ? " signext" : " zeroext")};
}

// The wrapper has an attribute that is true of its body, but not of every generated one.
std::string module_text(const PointType &result, const std::vector<PointType> &arguments) {
  std::string declared;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Ir ir = ir_of(arguments[i]);
    const std::string name = "%a" + std::to_string(i);
    const std::string comma = i ? ", " : "";
    std::string head(comma);
    head.append(ir.type).append(ir.attribute).append(" ");
    declared.append(head).append(name);
  }
  const Ir ir = ir_of(result);
  const std::string returned = (ir.attribute.empty() ? "" : ir.attribute.substr(1) + " ") + ir.type;
  return "declare " + returned + " @generic(" + declared + ") memory(none)\n" + "define internal " +
         returned + " @sartor.call.0(" + declared + ") noinline memory(none) {\n  %r = call " +
         returned + " @generic(" + declared + ")\n  ret " + ir.type + " %r\n}\n" + "define " +
         returned + " @entry(" + declared + ") {\n  %r = call " + returned + " @sartor.call.0(" +
         declared + ")\n  ret " + ir.type + " %r\n}\n";
}

runtime::Linker &linker() {
  static runtime::Linker made({});
  return made;
}

} // namespace

Result<BuiltPoint> build_point(const PointType &result, const std::vector<PointType> &arguments,
                               const void *generic, const Generator &generator,
                               const Setting &setting) {
  Point point;
  point.label = "point";
  point.kind = PointKind::custom;
  point.custom_kind = "kind";
  point.type = result;
  point.arguments = arguments;
  core::Context request;
  request.handler = "handler";
  request.configuration.set("point", setting);
  request.custom_kinds.emplace(
      "kind", std::make_shared<const core::CustomKind>(generator, std::uint64_t{1}));
  auto generated = runtime::generate(std::move(request), Space({point}));
  if (!generated)
    return std::unexpected(generated.error());
  const core::Generated &code = generated->generated.at("point");
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(module_text(result, arguments), diagnostic, context);
  if (!module)
    throw std::logic_error(diagnostic.getMessage().str());
  module->setDataLayout(compiler::host().layout);
  compiler::set_triple(*module, compiler::host().triple);
  if (auto built = compiler::build_custom(*module->getFunction("sartor.call.0"), code, "point");
      !built)
    return std::unexpected(built.error());
  if (llvm::verifyModule(*module))
    throw std::logic_error("the module is not valid");
  auto machine = compiler::make_target_machine(llvm::CodeGenOptLevel::Default);
  if (auto optimized = compiler::optimize(*module, *machine, {}); !optimized)
    return std::unexpected(optimized.error());
  auto object = compiler::generate(*module, *machine);
  if (!object)
    return std::unexpected(object.error());
  const auto image = compiler::make_image(*object, "entry");
  if (!image)
    return std::unexpected(image.error());
  auto linked = linker().link(*image, {{"generic", const_cast<void *>(generic)}});
  if (!linked)
    return std::unexpected(linked.error());
  return BuiltPoint{std::move(*linked), code.invariants};
}

} // namespace sartor::testing_custom
