// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compile/check_module.h"

#include <algorithm>
#include <map>

#include "point/call_marks.h"
#include "point/context.h"
#include "point/marks.h"
#include "point/parameters.h"
#include "point/prepare.h"
#include "point/read_module.h"

namespace sartor::jit {

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
    if (point::is_call_point(function)) {
      if (auto problem = point::call_mark_problem(function))
        return std::unexpected(std::move(*problem));
      const point::CallMark mark = point::read_call_mark(function);
      if (!agree(space.find(mark.label), mark.kind, mark.type, mark.arguments.size(),
                 mark.version_bytes != 0))
        return bad(mark.label, "is another point in the bitcode than in the module");
      continue;
    }
    for (CallInst *call : point::points_of(function)) {
      const auto mark = point::read_mark(*call);
      if (!mark)
        return std::unexpected(mark.error());
      if (!agree(space.find(mark->label), mark->kind, mark->type, 0, false))
        return bad(mark->label, "is another point in the bitcode than in the module");
    }
  }
  return {};
}

Result<void> check_handlers(Module &bitcode, const point::HandlerModule &module) {
  std::map<std::string, const Function *> functions;
  for (const Function &function : bitcode)
    if (point::is_handler(function) &&
        !functions.emplace(point::handler_name(function), &function).second)
      return bad(point::handler_name(function), "is the name of two handlers");
  for (const point::HandlerModule::Handler &handler : module.handlers) {
    const auto found = functions.find(handler.name);
    if (found == functions.end())
      return bad(handler.name, "is no handler of the module's bitcode");
    if (handler.native_only.empty() && found->second->isDeclaration())
      return bad(handler.name, "has no code in the module's bitcode");
    if (handler.signature != point::signature_of(*found->second))
      return bad(handler.name, "has another signature in the module's bitcode");
  }
  return {};
}

} // namespace

Result<void> check_module(const point::HandlerModule &module) {
  point::Context context;
  auto bitcode = point::read_module(module.bitcode, module.source, context);
  if (!bitcode)
    return std::unexpected(std::move(bitcode.error()));
  if (!(*bitcode)->getModuleInlineAsm().empty())
    return bad(module.source, "has module-level assembly");
  if (auto checked = check_handlers(**bitcode, module); !checked)
    return checked;
  return check_points(**bitcode, module.space);
}

} // namespace sartor::jit
