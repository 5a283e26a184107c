// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/linker.h"

#include <atomic>
#include <fstream>
#include <mutex>
#include <new>
#include <vector>

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/Debugging/ELFDebugObjectPlugin.h>
#include <llvm/ExecutionEngine/Orc/Debugging/PerfSupportPlugin.h>
#include <llvm/ExecutionEngine/Orc/EHFrameRegistrationPlugin.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h>
#include <llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderPerf.h>
#include <llvm/ExecutionEngine/Orc/TargetProcess/RegisterEHFrames.h>
#include <llvm/Support/MemoryBuffer.h>

#include "jit/code_listener.h"
#include "jit/debugger.h"
#include "jit/near_memory.h"
#include "jit/program_unwinder.h"
#include "jit/usual_symbols.h"

namespace sartor::jit {

using namespace llvm;
using namespace llvm::orc;

namespace {

// Address space is reserved in pieces of this size; pages are only used as code needs them.
constexpr std::size_t kReservation = 1U << 20;

// The session never forgets a name by itself. Names of code that is gone are dropped this often.
constexpr std::uint64_t kTidyPeriod = 64;

// What LLVM and we keep of a piece of code besides its pages, on the heap; measured, and held to
// the truth by a test.
constexpr std::size_t kKeptPerPiece = 12U << 10;

// A piece's code and constants, and the copy of it for gdb, lie in three rows of pages.
constexpr std::size_t kMappingsPerPiece = 3;

/// Pieces of code in this process, whoever's.
std::atomic<std::size_t> pieces_of_process{0};

std::unexpected<Failure> failed(llvm::Error error) {
  return std::unexpected(Failure{ErrorCode::compile_failed, "the JIT linker",
                                 toString(std::move(error)), "the generic code goes on"});
}

std::unexpected<Failure> out_of_memory() {
  return std::unexpected(Failure{ErrorCode::compile_failed, "the JIT linker",
                                 "has run out of memory, and links no more code of this runtime",
                                 "what is in force stays; allow the process more memory"});
}

SymbolMap to_symbol_map(ExecutionSession &session, const Linker::Symbols &symbols) {
  SymbolMap map;
  for (const auto &[name, address] : symbols)
    map[session.intern(name)] = {ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported};
  return map;
}

// An address in the program's text, near which code is best placed.
const void *anchor_of(const Linker::Symbols &symbols) {
  static const char here = 0;
  return symbols.empty() ? &here : symbols.begin()->second;
}

} // namespace

struct Linker::Impl {
  Impl(std::unique_ptr<ExecutorProcessControl> control, const void *anchor)
      : session(std::move(control)),
        layer(session, std::make_unique<MapperJITLinkMemoryManager>(
                           kReservation, std::make_unique<NearMemory>(anchor))) {
    session.setErrorReporter([this](llvm::Error error) { note(std::move(error)); });
  }
  ~Impl() {
    if (!is_broken)
      cantFail(session.endSession());
  }
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  // A library is used again and again: the session keeps something of each for ever (a row of
  // WaitingOnGraph::ElemToPendingSN, in LLVM 22).
  JITDylib &take_dylib() {
    const std::lock_guard lock(dylibs_mutex);
    if (!idle_dylibs.empty()) {
      JITDylib *dylib = idle_dylibs.back();
      idle_dylibs.pop_back();
      return *dylib;
    }
    JITDylib &dylib = session.createBareJITDylib("variant#" + std::to_string(++dylibs));
    dylib.addToLinkOrder(*program);
    return dylib;
  }

  void put_back(JITDylib &dylib) {
    if (is_broken)
      return;
    if (llvm::Error error = dylib.clear())
      note(std::move(error));
    const std::lock_guard lock(dylibs_mutex);
    idle_dylibs.push_back(&dylib);
  }

  void note(llvm::Error error) {
    const std::lock_guard lock(missing_mutex);
    handleAllErrors(
        std::move(error),
        [&](const SymbolsNotFound &found) {
          for (const auto &symbol : found.getSymbols())
            missing = missing.empty() ? (*symbol).str() : missing;
        },
        [&](const ErrorInfoBase &other) { problem = other.message(); });
  }

  Failure take_failure() {
    const std::lock_guard lock(missing_mutex);
    Failure failure{ErrorCode::compile_failed, "the JIT linker", std::exchange(problem, {}),
                    "the generic code goes on"};
    if (!missing.empty())
      failure = {ErrorCode::missing_symbol, std::exchange(missing, {}),
                 "is used by a handler but has no address in the program",
                 "define it in the program, or export it with -rdynamic if the handler module "
                 "comes from a file"};
    return failure;
  }

  /// LLVM was left by an exception, which has no mind to give back its locks. Guarded by
  /// DebuggerEntry::mutex().
  bool is_broken = false;
  ExecutionSession session;
  ObjectLinkingLayer layer;
  JITDylib *program = nullptr;
  std::shared_ptr<CodeListener> listener;
  std::mutex dylibs_mutex;
  std::vector<JITDylib *> idle_dylibs; ///< Empty ones.
  std::size_t dylibs = 0;
  std::atomic<std::uint64_t> linked{0};
  std::atomic<std::uint64_t> given_back{0};
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::size_t> resident_bytes{0};
  std::mutex missing_mutex;
  std::string missing;
  std::string problem;
};

namespace {

class LinkedCode final : public Code {
public:
  LinkedCode(Linker::Impl &linker, JITDylib &dylib, void *entry, std::size_t bytes,
             std::size_t resident_bytes, DebuggerEntry debugger_entry)
      : linker_(linker), dylib_(dylib), entry_(entry), bytes_(bytes),
        resident_bytes_(resident_bytes), debugger_entry_(std::move(debugger_entry)) {
    linker_.bytes += bytes_;
    linker_.resident_bytes += resident_bytes_;
  }
  // All of it with the lock held, so that the process cannot fork in the middle.
  ~LinkedCode() override {
    const DebuggerEntry::Lock lock(DebuggerEntry::mutex());
    try {
      debugger_entry_.take_out();
      linker_.put_back(dylib_);
    } catch (const std::bad_alloc &) {
      linker_.is_broken = true; // this code stays
    }
    linker_.bytes -= bytes_;
    linker_.resident_bytes -= resident_bytes_;
    --pieces_of_process;
    if (++linker_.given_back % kTidyPeriod == 0)
      linker_.session.getSymbolStringPool()->clearDeadEntries();
  }
  LinkedCode(const LinkedCode &) = delete;
  LinkedCode &operator=(const LinkedCode &) = delete;

  [[nodiscard]] void *entry() const override { return entry_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] std::size_t resident_bytes() const override { return resident_bytes_; }

private:
  Linker::Impl &linker_;
  JITDylib &dylib_;
  void *entry_;
  std::size_t bytes_;
  std::size_t resident_bytes_;
  DebuggerEntry debugger_entry_;
};

llvm::Error add_perf_dump(Linker::Impl &impl) {
  impl.layer.addPlugin(std::make_shared<PerfSupportPlugin>(
      impl.session.getExecutorProcessControl(),
      ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderPerfStart),
      ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderPerfEnd),
      ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderPerfImpl), /*EmitDebugInfo=*/false,
      /*EmitUnwindInfo=*/false)); // LLVM would say so on standard error each time
  return llvm::Error::success();
}

llvm::Error add_plugins(Linker::Impl &impl, const Linker::Symbols &symbols, PerfNames perf) {
  impl.layer.addPlugin(std::make_shared<EHFrameRegistrationPlugin>(
      ExecutorAddr::fromPtr(&llvm_orc_registerEHFrameSectionAllocAction),
      ExecutorAddr::fromPtr(&llvm_orc_deregisterEHFrameSectionAllocAction)));
  if (auto unwinder = ProgramUnwinder::find(symbols))
    impl.layer.addPlugin(std::move(unwinder));
  llvm::Error error = llvm::Error::success();
  auto debugger = std::make_shared<ELFDebugObjectPlugin>(
      impl.session, /*RequireDebugSections=*/false, /*AutoRegisterCode=*/true, error);
  if (error)
    return error;
  impl.layer.addPlugin(std::move(debugger));
  impl.listener = std::make_shared<CodeListener>(/*write_perf_map=*/perf == PerfNames::map);
  impl.layer.addPlugin(impl.listener);
  return perf == PerfNames::dump ? add_perf_dump(impl) : llvm::Error::success();
}

} // namespace

Linker::Linker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Linker::~Linker() {
  if (impl_->is_broken)
    (void)impl_.release(); // who takes it apart waits for its locks
}

Result<std::unique_ptr<Linker>> Linker::create(const Symbols &symbols, PerfNames perf) {
  auto control =
      SelfExecutorProcessControl::Create(nullptr, std::make_unique<InPlaceTaskDispatcher>());
  if (!control)
    return failed(control.takeError());
  auto impl = std::make_unique<Impl>(std::move(*control), anchor_of(symbols));
  impl->program = &impl->session.createBareJITDylib("program");
  if (llvm::Error error =
          impl->program->define(absoluteSymbols(to_symbol_map(impl->session, symbols))))
    return failed(std::move(error));
  Symbols usual = usual_symbols();
  std::erase_if(usual, [&](const auto &symbol) { return symbols.contains(symbol.first); });
  if (llvm::Error error =
          impl->program->define(absoluteSymbols(to_symbol_map(impl->session, usual))))
    return failed(std::move(error));
  auto dynamic = DynamicLibrarySearchGenerator::GetForCurrentProcess(/*GlobalPrefix=*/'\0');
  if (!dynamic)
    return failed(dynamic.takeError());
  impl->program->addGenerator(std::move(*dynamic));
  if (llvm::Error error = add_plugins(*impl, symbols, perf))
    return failed(std::move(error));
  return std::unique_ptr<Linker>(new Linker(std::move(impl)));
}

std::size_t Linker::most_pieces() {
  static const std::size_t most = [] {
    std::size_t mappings = 65'530; // the kernel's default
    std::ifstream("/proc/sys/vm/max_map_count") >> mappings;
    return std::max<std::size_t>(mappings / 2 / kMappingsPerPiece, 1);
  }();
  return most;
}

Result<std::unique_ptr<Code>> Linker::link(const std::string &object, const std::string &symbol,
                                           const Symbols &own) {
  // One at a time, so that what goes wrong is told of the right object.
  const DebuggerEntry::Lock lock(DebuggerEntry::mutex());
  if (impl_->is_broken)
    return out_of_memory();
  try {
    return link_alone(object, symbol, own);
  } catch (const std::bad_alloc &) {
    impl_->is_broken = true;
    return out_of_memory();
  }
}

Result<std::unique_ptr<Code>> Linker::link_alone(const std::string &object,
                                                 const std::string &symbol, const Symbols &own) {
  if (pieces_of_process >= most_pieces())
    return std::unexpected(
        Failure{ErrorCode::compile_failed, symbol,
                "would be one piece of code more than the " + std::to_string(most_pieces()) +
                    " that a process may have",
                "release bindings, limit them with limit_bindings(), or raise vm.max_map_count"});
  const jit_code_entry *newest = DebuggerEntry::newest();
  ExecutionSession &session = impl_->session;
  JITDylib &dylib = impl_->take_dylib();
  auto discard = [&](llvm::Error error) {
    impl_->note(std::move(error));
    Failure failure = impl_->take_failure();
    (void)impl_->listener->take_size(dylib);
    DebuggerEntry::newer_than(newest).take_out();
    impl_->put_back(dylib);
    return std::unexpected(std::move(failure));
  };
  if (!own.empty())
    if (llvm::Error error = dylib.define(absoluteSymbols(to_symbol_map(session, own))))
      return discard(std::move(error));
  if (llvm::Error error = impl_->layer.add(dylib, MemoryBuffer::getMemBufferCopy(object, symbol)))
    return discard(std::move(error));
  auto found = session.lookup({&dylib}, symbol);
  if (!found)
    return discard(found.takeError());
  ++impl_->linked;
  ++pieces_of_process;
  const CodeListener::Size size = impl_->listener->take_size(dylib);
  return std::make_unique<LinkedCode>(
      *impl_, dylib, found->getAddress().toPtr<void *>(), size.bytes,
      size.paged + in_pages(object.size()) + kKeptPerPiece, DebuggerEntry::newer_than(newest));
}

Linker::Usage Linker::usage() const {
  const std::uint64_t given_back = impl_->given_back;
  return {static_cast<std::size_t>(impl_->linked - given_back), impl_->bytes, impl_->resident_bytes,
          given_back};
}

} // namespace sartor::jit
