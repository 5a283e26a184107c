// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/check_module.h"

#include <algorithm>
#include <map>

#include "compiler/frontend/call_marks.h"
#include "compiler/frontend/context.h"
#include "compiler/frontend/marks.h"
#include "compiler/frontend/parameters.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/read_module.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

std::unexpected<Failure> bad(const std::string &subject, std::string why) {
  return std::unexpected(Failure{ErrorCode::bad_bitcode, subject, std::move(why),
                                 "send the module as the compiler has returned it"});
}

bool agree(const Point *listed, PointKind kind, const PointType &type, std::size_t arguments,
           bool is_versioned) {
  return listed && listed->kind == kind && listed->type.kind == type.kind &&
         listed->type.bits == type.bits && listed->arguments.size() == arguments &&
         listed->is_versioned == is_versioned;
}

Result<void> check_points(Module &bitcode, const Space &space) {
  for (Function &function : bitcode) {
    if (compiler::is_call_point(function)) {
      if (auto problem = compiler::call_mark_problem(function))
        return std::unexpected(std::move(*problem));
      const CallMark mark = compiler::read_call_mark(function);
      if (!agree(space.find(mark.label), mark.kind, mark.type, mark.arguments.size(),
                 mark.version_bytes != 0))
        return bad(mark.label, "is another point in the bitcode than in the module");
      continue;
    }
    for (CallInst *call : compiler::points_of(function)) {
      const auto mark = compiler::read_mark(*call);
      if (!mark)
        return std::unexpected(mark.error());
      if (!agree(space.find(mark->label), mark->kind, mark->type, 0, false))
        return bad(mark->label, "is another point in the bitcode than in the module");
    }
  }
  return {};
}

Result<void> check_handlers(Module &bitcode, const core::HandlerModule &module) {
  std::map<std::string, const Function *> functions;
  for (const Function &function : bitcode)
    if (compiler::is_handler(function) &&
        !functions.emplace(compiler::handler_name(function), &function).second)
      return bad(compiler::handler_name(function), "is the name of two handlers");
  for (const core::HandlerModule::Handler &handler : module.handlers) {
    const auto found = functions.find(handler.name);
    if (found == functions.end())
      return bad(handler.name, "is no handler of the module's bitcode");
    if (handler.native_only.empty() && found->second->isDeclaration())
      return bad(handler.name, "has no code in the module's bitcode");
    if (handler.signature != compiler::signature_of(*found->second))
      return bad(handler.name, "has another signature in the module's bitcode");
  }
  return {};
}

} // namespace

Result<void> check_module(const core::HandlerModule &module) {
  compiler::Context context;
  auto bitcode = compiler::read_module(module.bitcode, module.source, context);
  if (!bitcode)
    return std::unexpected(std::move(bitcode.error()));
  if (!(*bitcode)->getModuleInlineAsm().empty())
    return bad(module.source, "has module-level assembly");
  if (auto checked = check_handlers(**bitcode, module); !checked)
    return checked;
  return check_points(**bitcode, module.space);
}

} // namespace sartor::compiler
