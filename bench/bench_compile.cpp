// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the time from a request until its variant is active: the first variant (quick
/// tier), the fully optimized one, and one from the cache, each over the same specialization with
/// plain LLVM.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <sartor/module.h>
#include <sartor/sartor.hpp>

#include "compile_handler.h"
#include "harness.h"
#include "template_handler.h"

namespace sartor::bench {

const char *const bench_name = "compile";

namespace {

using namespace llvm;

template <class T> T or_throw(Expected<T> expected) {
  if (!expected)
    throw std::runtime_error(toString(expected.takeError()));
  if constexpr (std::is_reference_v<T>)
    return *expected;
  else
    return std::move(*expected);
}

void or_throw(llvm::Error error) {
  if (error)
    throw std::runtime_error(toString(std::move(error)));
}

/// Replaces calls `sartor.point.<type>(value, label, ...)` by constants, or by their value.
void fix_points(Module &module, const std::map<std::string, std::uint64_t> &constants) {
  for (Function &mark : module)
    if (mark.getName().starts_with("sartor.point."))
      while (!mark.use_empty()) {
        auto *point = cast<CallInst>(mark.user_back());
        StringRef label;
        getConstantStringInfo(point->getArgOperand(1), label);
        const auto constant = constants.find(label.str());
        point->replaceAllUsesWith(constant == constants.end()
                                      ? point->getArgOperand(0)
                                      : ConstantInt::get(point->getType(), constant->second));
        point->eraseFromParent();
      }
}

/// Changes the code's target to this machine.
void retarget(Module &module, const TargetMachine &machine) {
  for (Function &function : module) {
    function.removeFnAttr("tune-cpu");
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
}

void optimise(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
}

/// Run-time specialization with LLVM's own JIT, as one would write it in an afternoon: parse the
/// module, replace the values at the points by constants, without guards, run the default O3
/// pipeline for this machine, generate code, link. Sartor's compile times are compared with it.
class PlainJit {
public:
  /// `module` must outlive this object. Throws std::runtime_error with LLVM's message.
  explicit PlainJit(const sartor_module &module) : source_(module) {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    auto builder = or_throw(orc::JITTargetMachineBuilder::detectHost());
    builder.setCodeGenOptLevel(CodeGenOptLevel::Aggressive);
    machine_ = or_throw(builder.createTargetMachine());
    jit_ = or_throw(orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create());
  }

  /// Returns the address of `function` in a new copy of the module, in which the points with the
  /// labels of `constants` have those values. Valid until the next call.
  void *compile(const std::string &function, const std::map<std::string, std::uint64_t> &constants);

private:
  void define_symbols(const Module &module);

  const sartor_module &source_;
  std::unique_ptr<TargetMachine> machine_;
  std::unique_ptr<orc::LLJIT> jit_;
  orc::JITDylib *variant_ = nullptr; // of the last compile
  unsigned count_ = 0;
};

/// Defines the bitcode's names of objects in the program.
void PlainJit::define_symbols(const Module &module) {
  orc::SymbolMap addresses;
  for (std::uint64_t i = 0; i < source_.symbol_count; ++i) {
    const sartor_symbol &symbol = source_.symbols[i];
    const GlobalValue *global = module.getNamedValue(symbol.name);
    if (global && global->isDeclaration())
      addresses[jit_->mangleAndIntern(symbol.name)] = {orc::ExecutorAddr::fromPtr(symbol.address),
                                                       JITSymbolFlags::Exported};
  }
  or_throw(variant_->define(orc::absoluteSymbols(std::move(addresses))));
}

void *PlainJit::compile(const std::string &function,
                        const std::map<std::string, std::uint64_t> &constants) {
  if (variant_)
    or_throw(jit_->getExecutionSession().removeJITDylib(*variant_));
  variant_ = &or_throw(jit_->createJITDylib("variant" + std::to_string(count_++)));

  auto context = std::make_unique<LLVMContext>();
  const StringRef bytes(reinterpret_cast<const char *>(source_.bitcode), source_.bitcode_size);
  auto module = or_throw(parseBitcodeFile(MemoryBufferRef(bytes, source_.source), *context));
  fix_points(*module, constants);
  retarget(*module, *machine_);
  define_symbols(*module);
  optimise(*module, *machine_);
  or_throw(
      jit_->addIRModule(*variant_, orc::ThreadSafeModule(std::move(module), std::move(context))));
  return or_throw(jit_->lookup(*variant_, function)).toPtr<void *>();
}

constexpr std::size_t kRounds = 60;
constexpr std::size_t kWarmup = 2;
constexpr std::size_t kBlocks[] = {8, 16, 32};

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Times {
  Samples plain, first, full, cached;
};

/// Times of a handler whose values are operands: the first variant is filled into a template.
struct TemplateTimes {
  Samples plain, first;
};

/// Requests a configuration that was never used before, and records when its first and its last
/// variant become active.
void specialize(Runtime &runtime, const Configuration &configuration, Times &times) {
  const std::uint64_t switches = runtime.statistics().switches;
  const auto begin = Clock::now();
  auto done = runtime.specialize_async(configuration);
  while (runtime.statistics().switches == switches &&
         done.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  times.first.push_back(milliseconds_since(begin));
  const std::vector<VariantInfo> variants = done.get();
  times.full.push_back(milliseconds_since(begin));
  if (variants.empty() || variants.front().compile_time == std::chrono::nanoseconds())
    throw std::runtime_error("not compiled: " + configuration.text());
}

/// Requests the same configuration again, from the memory cache.
void specialize_again(Runtime &runtime, const Configuration &configuration, Times &times) {
  runtime.specialize({});
  const auto begin = Clock::now();
  const std::vector<VariantInfo> variants = runtime.specialize(configuration);
  times.cached.push_back(milliseconds_since(begin));
  if (variants.empty() || variants.front().compile_time != std::chrono::nanoseconds())
    throw std::runtime_error("not from the cache: " + configuration.text());
}

/// Returns the module of a source file. With plain LLVM, the handlers of each file are compiled
/// separately.
const sartor_module &module_of(std::string_view file) {
  for (const sartor_module &module : std::span(__start_sartor_modules, __stop_sartor_modules))
    if (std::string_view(module.source).ends_with(file))
      return module;
  throw std::runtime_error("no module");
}

/// Calls a handler continuously on another processor, and records when code for other values is
/// active. The values are declared invariant, not guarded, so the result shows which values the
/// code has.
class Watcher {
public:
  explicit Watcher(Handler<decltype(bench_scaled)> handler)
      : thread_([this, handler](const std::stop_token &stop) {
          constexpr std::uint64_t kOne = 1;
          while (!stop.stop_requested())
            if (handler(&kOne, 1, 0, 0) == awaited_.load(std::memory_order_relaxed) &&
                seen_.load(std::memory_order_relaxed) == 0)
              seen_ = Clock::now().time_since_epoch().count();
        }) {}

  /// Returns the milliseconds from the request until the first variant for these values is active.
  double time(Runtime &runtime, std::uint64_t scale) {
    const std::uint64_t offset = scale + 7;
    awaited_ = scale + offset;
    seen_ = 0;
    const auto begin = Clock::now();
    auto done = runtime.specialize_async(
        {{"scale", unguarded(Setting(scale))}, {"offset", unguarded(Setting(offset))}});
    while (seen_ == 0)
      ; // keeps other work off this processor
    const Clock::time_point seen{Clock::duration(seen_)};
    (void)done.get();
    return std::chrono::duration<double, std::milli>(seen - begin).count();
  }

private:
  std::atomic<std::uint64_t> awaited_ = 0;
  std::atomic<Clock::rep> seen_ = 1;
  std::jthread thread_;
};

/// Waits for the template, which is made in the background after the first variant.
void wait_for_template(Runtime &runtime, Watcher &watcher) {
  for (std::uint64_t value = 1'000'000; runtime.statistics().filled == 0; ++value) {
    watcher.time(runtime, value);
    if (value > 1'000'200)
      throw std::runtime_error("no template is made");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TemplateTimes measure_templates(Runtime &runtime, PlainJit &plain) {
  TemplateTimes times;
  runtime.specialize({});
  Watcher watcher(runtime.handler<&bench_scaled>());
  wait_for_template(runtime, watcher);
  std::mt19937_64 random(5); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::uint64_t round = 0; round < kWarmup + kRounds; ++round) {
    const std::uint64_t scale = 3 + round;
    const auto plainly = [&] {
      const auto begin = Clock::now();
      plain.compile("bench_scaled", {{"scale", scale}, {"offset", scale + 7}});
      times.plain.push_back(milliseconds_since(begin));
    };
    const bool plain_first = random() % 2 == 0;
    if (plain_first)
      plainly();
    const std::uint64_t filled = runtime.statistics().filled;
    times.first.push_back(watcher.time(runtime, scale));
    if (runtime.statistics().filled != filled + 1)
      throw std::runtime_error("no template was filled");
    if (!plain_first)
      plainly();
    if (round + 1 == kWarmup)
      times = {};
  }
  return times;
}

void check(void *code, std::size_t n, std::size_t block) {
  const std::vector<std::uint64_t> a(n * n, 2);
  std::vector<std::uint64_t> c(n * n);
  reinterpret_cast<decltype(&bench_product)>(code)(a.data(), a.data(), c.data(), n, block);
  if (std::ranges::count(c, 4 * n) != static_cast<std::ptrdiff_t>(n * n))
    throw std::runtime_error("the plain way's product is wrong");
}

} // namespace

std::vector<Figure> measure() {
  Runtime runtime;
  PlainJit plain(module_of("compile_handler.cpp"));
  check(plain.compile("bench_product", {{"N", 64}, {"B", 16}}), 64, 16);

  Times times;
  std::mt19937_64 random(4); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::size_t round = 0; round < kWarmup + kRounds; ++round) {
    const std::size_t n = 64 * (round + 2); // a new value each time
    const std::size_t block = kBlocks[round % std::size(kBlocks)];
    const auto plainly = [&] {
      const auto begin = Clock::now();
      plain.compile("bench_product", {{"N", n}, {"B", block}});
      times.plain.push_back(milliseconds_since(begin));
    };
    const bool plain_first = random() % 2 == 0;
    if (plain_first)
      plainly();
    const Configuration configuration = {{"B", block}, {"N", n}};
    specialize(runtime, configuration, times);
    specialize_again(runtime, configuration, times);
    if (!plain_first)
      plainly();
    if (round + 1 == kWarmup)
      times = {};
  }

  PlainJit plain_scaled(module_of("template_handler.cpp"));
  const TemplateTimes filled = measure_templates(runtime, plain_scaled);
  return {
      {"template_over_plain", "ratio", ratio(filled.first, filled.plain), at_most(0.01)},
      {"template_ms", "ms", median(filled.first)},
      {"template_plain_ms", "ms", median(filled.plain)},
      {"first_variant_over_plain", "ratio", ratio(times.first, times.plain), at_most(0.25)},
      {"full_variant_over_plain", "ratio", ratio(times.full, times.plain), at_most(1.0)},
      {"cached_over_compiled", "ratio", ratio(times.cached, times.full), at_most(0.02)},
      {"plain_ms", "ms", median(times.plain)},
      {"first_variant_ms", "ms", median(times.first)},
      {"full_variant_ms", "ms", median(times.full), {}, 10},
      {"cached_ms", "ms", median(times.cached)},
  };
}

} // namespace sartor::bench
