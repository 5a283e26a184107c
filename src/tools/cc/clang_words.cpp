// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/clang_words.h"

#include <algorithm>
#include <array>
#include <string>
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
    "coverage-m*",
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
    "enable-matrix",
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

/// True if an option of gcc only controls optimization, reports or measurement, or concerns
/// link-time optimization and profiles, which objects with handlers do not have: the code means the
/// same without it. Options that clang also has are not among them.
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

/// True if an option of gcc changes the meaning or the calling convention of code, and clang has no
/// equivalent. Not complete: clang itself rejects unknown options.
bool changes_meaning(const std::string &option) {
  return is_among(kMeaning, option) && !option.starts_with("-specs=/usr/share/dpkg/");
}

// Options with an argument that only control how gcc works, and where it writes its reports.
constexpr std::array<std::string_view, 6> kDropped = {"--param",       "-aux-info", "-dumpbase",
                                                      "-dumpbase-ext", "-dumpdir",  "-wrapper"};

void add_plugin(Words &words, const Toolchain &tools, const Seen &seen) {
  const auto depend_on = [&](const std::string &file) {
    words.insert(words.end(), {"-Xclang", "-fdepfile-entry=" + file});
  };
  // The user's compiler links the objects, and may not know clang's bitcode.
  words.insert(words.end(), {"-fno-lto", "-Qunused-arguments", "-Wno-unknown-warning-option",
                             "-Wno-ignored-gch", // headers that gcc has precompiled
                             "-Wno-ignored-optimization-argument", "-fplugin=" + tools.plugin,
                             "-fpass-plugin=" + tools.plugin, "-idirafter", tools.headers});
  for (const std::string &file : tools.dependencies())
    depend_on(file);
  for (const std::string &file : tools.declarations)
    words.push_back("-fplugin-arg-sartor-declarations=" + file);
  for (const std::string &function : tools.hot_functions)
    words.push_back("-fplugin-arg-sartor-auto=" + function);
  // A check that gcc does not have. The library with which older versions of gcc link does not
  // either.
  const auto is_sanitizer = [](const std::string &word) { return word.starts_with("-fsanitize="); };
  if (std::ranges::any_of(words, is_sanitizer) && !tools.compiles_by_clang())
    words.emplace_back("-fno-sanitize=function");
  // Files without hot functions are no handler modules: a runtime would have to read all of them.
  const bool has_module = seen.points || !tools.declarations.empty();
  if (has_module)
    words.emplace_back("-DSARTOR_POINTS=1");
  // Handlers' code is also placed at addresses that the linker does not choose.
  if (has_module || !tools.hot_functions.empty())
    words.emplace_back("-fPIC");
}

// Where the command does not say which source lines are kept, only variants have them, not the
// object.
bool says_which_lines(const Words &words) {
  return std::ranges::any_of(words, [](const std::string &word) {
    return word.starts_with("-g") || word.starts_with("-R") ||
           word.starts_with("-fsave-optimization-record");
  });
}

} // namespace

Result<Words> clang_words(const Toolchain &tools, const Command &command,
                          const std::vector<Command::Input> &sources, const Seen &seen) {
  Words words = {clang()};
  if (tools.is_cxx)
    words.push_back("--driver-mode=g++");
  const auto is = [](const std::vector<Command::Input> &inputs, std::size_t index) {
    return std::ranges::count(inputs, index, &Command::Input::index) > 0;
  };
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const std::string &word = command.words[i];
    if (is(command.inputs, i)) {
      if (is(sources, i))
        words.push_back(word);
    } else if (changes_meaning(word)) {
      return std::unexpected(Failure{
          ErrorCode::bad_argument, word, "cannot be kept in a file with handlers or watched fields",
          "compile it without, or keep them out of " + command.name(sources.front())});
    } else if (std::ranges::count(kDropped, word) > 0) {
      ++i;
    } else if (takes_next_word(word) && i + 1 < command.words.size()) {
      const bool is_input = is(command.inputs, i + 1); // -l NAME
      if (!is_input)
        words.insert(words.end(), {word, command.words[i + 1]});
      ++i;
    } else if (!only_steers_gcc(word)) {
      words.push_back(word);
    }
  }
  add_plugin(words, tools, seen);
  if (seen.points && !says_which_lines(words)) {
    words.insert(words.end(), {"-gdwarf-4", "-gline-tables-only", "-gno-column-info",
                               "-fplugin-arg-sartor-lines=variants"});
    if (std::stoi(SARTOR_LLVM_VERSION) >= 21)
      words.emplace_back("-gno-key-instructions");
  }
  return words;
}

} // namespace sartor::cc
