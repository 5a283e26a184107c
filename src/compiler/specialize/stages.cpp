// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/stages.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/frontend/analyses.h"
#include "compiler/frontend/clone.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/marks/parameters.h"
#include "compiler/frontend/places.h"
#include "compiler/frontend/prepare.h"
#include "compiler/specialize/decide.h"
#include "compiler/specialize/extract.h"
#include "compiler/specialize/fold/fold.h"
#include "compiler/specialize/fold/keep_loads.h"
#include "compiler/specialize/instrument.h"
#include "compiler/specialize/steps.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Limit on all stages that are kept: about 20 MiB.
constexpr unsigned kMostInStage = 100'000;

bool may_be_staged(const core::Context &context, Function &original) {
  return !context.stages.empty() && context.generated.empty() && context.instrumented.empty() &&
         context.holes.empty() && compiler::blocking_begins_of(original).empty();
}

std::map<unsigned, BoundArgument> only(const std::map<unsigned, BoundArgument> &arguments,
                                       const std::set<unsigned> &known) {
  auto left = arguments;
  std::erase_if(left, [&](const auto &argument) { return !known.contains(argument.first); });
  return left;
}

std::map<unsigned, BoundArgument> without(const std::map<unsigned, BoundArgument> &arguments,
                                          const std::set<unsigned> &known) {
  auto left = arguments;
  std::erase_if(left, [&](const auto &argument) { return known.contains(argument.first); });
  return left;
}

// Returns the context with what is known at a stage.
core::Context at_stage(const core::Context &context, std::size_t number) {
  core::Context then = context;
  then.arguments = only(context.arguments, context.stages[number]);
  return then;
}

Specialized copy_of(const Specialized &code) {
  return {compiler::clone_module(*code.module),
          code.invariants,
          code.remarks,
          code.report,
          code.meant,
          code.is_folded,
          true};
}

// Passes that leave little work for the specializations made from a stage later; loops are
// unchanged, because they may be followed then.
constexpr const char *kPasses =
    "cgscc(devirt<4>(inline,function<eager-inv;no-rerun>(sroa<modify-cfg>,early-cse<memssa>,"
    "simplifycfg,instcombine<no-verify-fixpoint>,jump-threading,correlated-propagation,"
    "simplifycfg,gvn,adce,simplifycfg)))";

void simplify_stage(Module &module) {
  std::vector<Function *> held; // to be called as a whole
  for (Function &function : module)
    if (function.hasFnAttribute(compiler::kFoldAttribute) &&
        !function.hasFnAttribute(Attribute::NoInline)) {
      function.addFnAttr(Attribute::NoInline);
      held.push_back(&function);
    }
  repair_places(module);
  PassBuilder builder;
  Analyses analyses(builder);
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, kPasses));
  passes.run(module, analyses.modules);
  for (Function *function : held)
    function->removeFnAttr(Attribute::NoInline);
}

void drop_unused_functions(Module &module, const std::set<std::string> &but) {
  for (bool found = true; found;) {
    found = false;
    for (Function &function : make_early_inc_range(module))
      if (function.use_empty() && function.isDiscardableIfUnused() &&
          !but.contains(function.getName().str())) {
        function.eraseFromParent();
        found = true;
      }
  }
}

} // namespace

struct Stages::Order {
  Module &prepared;
  const Space &space;
  const Symbols &symbols;
  const core::Context &context;
  const std::string &symbol;
  Function &original;
  const core::Reached &reached;
  std::set<std::string> pointed_to;
  /// The invariants that the code may depend on.
  std::set<std::uint64_t> invariants;
};

Result<Specialized> Stages::specialize(Module &prepared, const Space &space, const Symbols &symbols,
                                       const core::Context &context, const std::string &symbol) {
  const auto original = find_original(prepared, context.handler);
  if (!original || !may_be_staged(context, **original))
    return compiler::specialize(prepared, space, symbols, context, symbol);
  const Result<core::Reached> &reached = reached_by(context);
  if (!reached)
    return std::unexpected(reached.error());
  Order order{prepared, space, symbols, context, symbol, **original, *reached, {}, {}};
  order.pointed_to = pointed_to_by(reached->regions, symbols, prepared).names();
  for (const core::Region &region : reached->regions)
    order.invariants.insert(region.invariant);
  for (const auto &[label, answers] : context.answers)
    order.invariants.insert(answers.invariants.begin(), answers.invariants.end());
  const auto last = stage(order, context.stages.size() - 1);
  if (!last)
    return std::unexpected(last.error());
  Specialized made = copy_of((*last)->code);
  keep_within_budget();
  bind_known(made, *made.module->getFunction(symbol), context,
             without(context.arguments, context.stages.back()));
  compiler::forget_signatures(*made.module);
  if (auto folded = fold_all(made, symbols, context); !folded)
    return std::unexpected(std::move(folded.error()));
  erase_load_marks(*made.module);
  finish(made, *made.module->getFunction(symbol), context);
  assert(!verifyModule(*made.module, &errs()));
  return made;
}

Result<Stages::Kept::iterator> Stages::stage(const Order &order, std::size_t number) {
  const std::string key = order.context.handler + core::text(at_stage(order.context, number));
  const auto known = std::ranges::find(kept_, key, &Stage::key);
  std::set<std::string> pointed_to = order.pointed_to;
  if (known != kept_.end()) {
    if (std::ranges::includes(known->pointed_to, order.pointed_to) &&
        std::ranges::all_of(known->code.invariants, [&](std::uint64_t invariant) {
          return order.invariants.contains(invariant);
        })) {
      kept_.splice(kept_.begin(), kept_, known);
      return kept_.begin();
    }
    pointed_to.merge(known->pointed_to);
    kept_.erase(known);
  }
  Order wider = order;
  wider.pointed_to = std::move(pointed_to);
  auto made = make(wider, number);
  if (!made)
    return std::unexpected(std::move(made.error()));
  made->key = key;
  made->pointed_to = std::move(wider.pointed_to);
  kept_.push_front(std::move(*made));
  return kept_.begin();
}

Result<Stages::Stage> Stages::make(const Order &order, std::size_t number) {
  const core::Context then = at_stage(order.context, number);
  Stage stage;
  Specialized &code = stage.code;
  if (number > 0) {
    const auto before = this->stage(order, number - 1);
    if (!before)
      return std::unexpected(before.error());
    code = copy_of((*before)->code);
    bind_known(code, *code.module->getFunction(order.symbol), then,
               without(then.arguments, order.context.stages[number - 1]));
  } else {
    code.module =
        extract(order.prepared, order.original, pointed_to_by(order.pointed_to, order.prepared),
                /*much_is_inlined=*/true, order.symbol);
    if (auto lowered = check_lowering(*code.module, then.handler); !lowered)
      return std::unexpected(std::move(lowered.error()));
    Function &entry = *code.module->getFunction(order.symbol);
    bind_known(code, entry, then, then.arguments);
    const Instrumentation none(order.space, then);
    if (auto decided = decide_points(code, entry, order.space, then, none, nullptr); !decided)
      return std::unexpected(std::move(decided.error()));
    mark_volatile_loads(*code.module);
  }
  if (then.memory) {
    const std::size_t depended_on = code.invariants.size();
    fold_handlers(*code.module, order.reached, *then.memory, order.symbols, code.invariants,
                  code.remarks, code.report);
    code.is_folded = code.is_folded || code.invariants.size() > depended_on;
  }
  drop_unused_functions(*code.module, order.pointed_to);
  simplify_stage(*code.module);
  drop_unused_functions(*code.module, order.pointed_to);
  stage.instructions = code.module->getInstructionCount();
  assert(!verifyModule(*code.module, &errs()));
  return stage;
}

void Stages::keep_within_budget() {
  unsigned instructions = 0;
  for (auto each = kept_.begin(); each != kept_.end();) {
    instructions += each->instructions;
    each = instructions > kMostInStage ? kept_.erase(each) : std::next(each);
  }
}

} // namespace sartor::compiler
