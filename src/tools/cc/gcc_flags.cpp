// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/gcc_flags.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sartor::cc {

namespace {

// Names that may follow -f and -fno-; a name that ends with '*' stands for all that begin with it.
constexpr std::array kSteering = std::to_array<std::string_view>({
    "aggressive-loop-optimizations",
    "allocation-dce",
    "allow-store-data-races",
    "analyzer*",
    "auto-inc-dec",
    "auto-profile*",
    "bit-tests",
    "branch-probabilities",
    "branch-target-load-optimize*",
    "btr-bb-exclusive",
    "callgraph-info*",
    "check-data-deps",
    "checking*",
    "code-hoisting",
    "combine-stack-adjustments",
    "compare-debug*",
    "compare-elim",
    "conserve-stack",
    "cprop-registers",
    "crossjumping",
    "cse-*",
    "dbg-cnt*",
    "dce",
    "delayed-branch",
    "delete-dead-exceptions",
    "devirtualize-*",
    "diagnostics-*",
    "disable-*",
    "dse",
    "dump-*",
    "early-inlining",
    "enable-*",
    "fat-lto-objects",
    "fold-simple-inlines",
    "forward-propagate",
    "fp-int-builtin-inexact",
    "function-cse",
    "gcse-*",
    "graphite*",
    "guess-branch-probability",
    "hoist-adjacent-loads",
    "if-conversion*",
    "indirect-inlining",
    "inline-atomics",
    "inline-limit-*",
    "ipa-*",
    "ira-*",
    "isolate-erroneous-*",
    "keep-gc-roots-live",
    "keep-static-functions",
    "large-source-files",
    "lifetime-dse*",
    "limit-function-alignment",
    "live-*",
    "loop-*",
    "lra-*",
    "lto*",
    "mem-report*",
    "modulo-sched-*",
    "move-loop-*",
    "nothrow-opt",
    "opt-info*",
    "optimize-strlen",
    "partial-inlining",
    "peephole*",
    "permitted-flt-eval-methods=*",
    "predictive-commoning",
    "printf-return-value",
    "profile-*",
    "random-seed*",
    "ree",
    "regmove",
    "reorder-*",
    "report-bug",
    "rerun-*",
    "reschedule-*",
    "sched-*",
    "sched2-*",
    "schedule-*",
    "section-anchors",
    "sel-sched-*",
    "selective-*",
    "shrink-wrap*",
    "simd-cost-model=*",
    "split-ivs-in-unroller",
    "split-loops",
    "split-paths",
    "split-wide-types*",
    "ssa-*",
    "stack-reuse=*",
    "stdarg-opt",
    "store-merging",
    "sync-libcalls",
    "test-coverage",
    "thread-jumps",
    "time-report-details",
    "track-macro-expansion*",
    "trampolines",
    "tree-*",
    "unconstrained-commons",
    "unroll-completely-grow-size",
    "use-linker-plugin",
    "var-tracking*",
    "vect-cost-model*",
    "version-loops-*",
    "vpt",
    "whole-program",
    "working-directory",
});
// The ones that clang also understands.
constexpr std::array kKnown = std::to_array<std::string_view>({
    "diagnostics-color",
    "diagnostics-color=auto",
    "diagnostics-color=always",
    "diagnostics-color=never",
    "diagnostics-show-option",
    "tree-vectorize",
    "tree-slp-vectorize",
});
constexpr std::array kSteeringMachine = std::to_array<std::string_view>({
    "-m128bit-long-double",
    "-m8bit-idiv",
    "-mno-8bit-idiv",
    "-maccumulate-outgoing-args",
    "-mno-accumulate-outgoing-args",
    "-malign-data=*",
    "-malign-stringops",
    "-mno-align-stringops",
    "-mavx256-split-unaligned-*",
    "-mno-avx256-split-unaligned-*",
    "-mbranch-cost=*",
    "-mcall-ms2sysv-xlogues",
    "-mdispatch-scheduler",
    "-mdump-tune-features",
    "-mfused-madd",
    "-minline-*",
    "-mmemcpy-strategy=*",
    "-mmemset-strategy=*",
    "-mmove-max=*",
    "-mno-push-args",
    "-mprefer-avx128",
    "-mpush-args",
    "-mstore-max=*",
    "-mstringop-strategy=*",
    "-mstv",
    "-mno-stv",
    "-mtune-ctrl=*",
    "-mneeded",
    "-mglibc",
});
constexpr std::array kMeaning = std::to_array<std::string_view>({
    "-fabi-version=*",
    "-fcall-saved-*",
    "-fcall-used-*",
    "-ffixed-*",
    "-fgnu-tm",
    "-fharden-*",
    "-finstrument-functions-exclude-*",
    "-fleading-underscore",
    "-fno-leading-underscore",
    "-fno-reg-struct-return",
    "-fno-signed-bitfields",
    "-fno-toplevel-reorder",
    "-fno-weak",
    "-fnon-call-exceptions",
    "-fopenacc*",
    "-fplugin=*",
    "-fsplit-stack",
    "-fstack-limit-*",
    "-fstrict-volatile-bitfields",
    "-funsigned-bitfields",
    "-fvtable-verify=*",
    "-fvtv-*",
    "-m96bit-long-double",
    "-mincoming-stack-boundary=*",
    "-mindirect-branch=*",
    "-mpc32",
    "-mpc64",
    "-mpreferred-stack-boundary=*",
    "-mrtd",
    "-msseregparm",
    "-specs=*",
    "--specs=*",
    "-mveclibabi=*",
    "-mforce-drap",
    "-mcld",
});

bool is_among(const auto &list, std::string_view option) {
  return std::ranges::any_of(list, [&](std::string_view name) {
    return name.ends_with('*') ? option.starts_with(name.substr(0, name.size() - 1))
                               : option == name;
  });
}

} // namespace

bool only_steers_gcc(const std::string &option) {
  std::string_view name = option;
  // Specs of the distribution for position-independent programs: handlers are position-independent
  // anyway.
  if (name.starts_with("-specs=/usr/share/dpkg/") || name == "--coverage" ||
      name.starts_with("--param="))
    return true;
  if (!name.starts_with("-f"))
    return is_among(kSteeringMachine, name);
  name.remove_prefix(name.starts_with("-fno-") ? 5 : 2);
  return is_among(kSteering, name) && !is_among(kKnown, name);
}

bool changes_meaning(const std::string &option) {
  return is_among(kMeaning, option) && !option.starts_with("-specs=/usr/share/dpkg/");
}

} // namespace sartor::cc
