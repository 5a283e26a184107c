// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/full_passes.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>

#include "compiler/codegen/vectorize_first.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// LLVM's textual pipelines offer complete unrolling only with the limits of O2.
constexpr const char *kUnroll = "sartor-unroll-full";

// A part that LLVM knows from a version on; nothing before.
constexpr const char *since(unsigned version, const char *part) {
  return LLVM_VERSION_MAJOR >= version ? part : "";
}

std::string to_arithmetic() { return since(22, "switch-to-arithmetic;"); }

// Differences from O3: the code has been simplified before, so instructions are not combined until
// functions are inlined. Loops whose length is set by a point unroll into long straight-line code
// that repeats the same addresses; directly after unrolling, instructions are combined and loads
// and stores forwarded once, so that later passes have less to process, instead of again after each
// of them. Loops that need comparisons of addresses are vectorized before they are unrolled.
// Lookups of values that are far apart become hash lookups before lookups become tables.

std::string before_loops() {
  return "sroa<modify-cfg>,sartor-compute-nans,early-cse<memssa>,jump-threading,correlated-"
         "propagation,"
         "simplifycfg<switch-range-to-icmp>,aggressive-instcombine,libcalls-shrinkwrap,"
         "tailcallelim,simplifycfg<switch-range-to-icmp>,reassociate,constraint-elimination";
}

std::string loops() {
  return "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,"
         "loop-rotate<header-duplication>,licm,simple-loop-unswitch<nontrivial;trivial>),"
         "simplifycfg<switch-range-to-icmp>,instcombine<no-verify-fixpoint>,"
         "sartor-fold-library-calls,loop(loop-idiom,indvars,loop-deletion,"
         "sartor-keep-vectorizable,sartor-unroll-full)";
}

std::string after_loops() {
  return "sartor-compute-nans,instcombine<no-verify-fixpoint>,sartor-fold-library-calls,"
         "early-cse<memssa>,sroa<modify-cfg>,sartor-compute-nans,vector-combine,mldst-motion<no-"
         "split-footer-bb>,gvn,sccp,bdce,"
         "instsimplify,jump-threading,correlated-propagation,adce,memcpyopt,dse,move-auto-init,"
         "loop-mssa(licm),coro-elide,simplifycfg<switch-range-to-icmp;" +
         to_arithmetic() + "hoist-common-insts;sink-common-insts>";
}

std::string each_component() {
  return "devirt<4>(inline,function-attrs<skip-non-recursive-function-attrs>,argpromotion,"
         "openmp-opt-cgscc,function<eager-inv;no-rerun>(" +
         before_loops() + "," + loops() + "," + after_loops() +
         "),function-attrs,function(require<should-not-run-function-passes>),coro-split" +
         since(20, ",coro-annotation-elide") + ")";
}

std::string vectorize() {
  return "float2int,lower-constant-intrinsics,chr,sartor-compute-nans,early-cse,"
         "loop(loop-rotate<header-duplication>,loop-deletion,sartor-peel-for-vectors),loop-"
         "distribute,inject-tli-mappings,loop-vectorize," +
         std::string(since(22, "drop-unnecessary-assumes,")) +
         "infer-alignment,"
         "loop-load-elim,instcombine<no-verify-fixpoint>,sartor-fold-library-calls,"
         "sartor-hash-switches,"
         "simplifycfg<forward-switch-cond;switch-range-to-icmp;" +
         to_arithmetic() +
         "switch-to-lookup;no-keep-loops;hoist-common-insts;sink-common-insts>,"
         "slp-vectorizer,vector-combine";
}

std::string last() {
  return "loop-unroll<O3>,transform-warning,sroa<preserve-cfg>,infer-alignment,"
         "sartor-compute-nans,instcombine<no-verify-fixpoint>,sartor-fold-library-calls,loop-mssa("
         "licm),"
         "alignment-from-assumptions,loop-sink,instsimplify,div-rem-pairs,tailcallelim,"
         "simplifycfg<switch-range-to-icmp;" +
         to_arithmetic() + since(20, "hoist-loads-stores-with-cond-faulting;") +
         "speculate-unpredictables>";
}

} // namespace

std::string full_passes() {
  return "inferattrs,coro-early,function(lower-expect,sartor-compute-nans),openmp-opt,ipsccp,"
         "called-value-propagation,"
         "globalopt,always-inline,require<globals-aa>,function(invalidate<aa>),"
         "require<profile-summary>,cgscc(" +
         each_component() +
         "),deadargelim,coro-cleanup,globalopt,globaldce,elim-avail-extern,rpo-function-attrs,"
         "recompute-globalsaa,function<eager-inv>(" +
         vectorize() + "," + last() +
         "),globaldce,constmerge,cg-profile,rel-lookup-table-converter";
}

void register_full_passes(PassBuilder &builder) {
  builder.registerPipelineParsingCallback(
      [](StringRef name, LoopPassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name == KeepVectorizable::kName)
          passes.addPass(KeepVectorizable());
        else if (name == PeelForVectors::kName)
          passes.addPass(PeelForVectors());
        else if (name == kUnroll)
          passes.addPass(LoopFullUnrollPass(/*OptLevel=*/3));
        else
          return false;
        return true;
      });
}

} // namespace sartor::compiler
