// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/linker.h"

#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>

#include <dlfcn.h>

#include "base/reserve.h"
#include "base/thread/mutex.h"
#include "runtime/codemem/debug_object.h"
#include "runtime/codemem/debugger.h"
#include "runtime/codemem/fill.h"
#include "runtime/codemem/function_frames.h"
#include "runtime/codemem/jit_dump.h"
#include "runtime/codemem/line_rows.h"
#include "runtime/codemem/near.h"
#include "runtime/codemem/perf_map.h"

namespace sartor::runtime {

namespace {

constexpr const char *kNames[] = {
    // memory and text
    "memcpy", "memmove", "memset", "memcmp", "bcmp", "memchr", "memrchr", "mempcpy", "strlen",
    "strnlen", "strcmp", "strncmp", "strcpy", "strncpy", "stpcpy", "stpncpy", "strchr", "strrchr",
    "strcat", "strncat", "strstr", "malloc", "calloc", "realloc", "free", "puts", "putchar",
    "fputc", "fputs", "fwrite", "printf", "abort",
    // exceptions and the stack
    "_Unwind_Resume", "__cxa_allocate_exception", "__cxa_free_exception", "__cxa_throw",
    "__cxa_rethrow", "__cxa_begin_catch", "__cxa_end_catch", "__cxa_call_unexpected",
    "__gxx_personality_v0", "__gcc_personality_v0", "_ZSt9terminatev", "__stack_chk_fail",
    "__tls_get_addr",
    // numbers
    "fmod", "fmodf", "fmodl", "fma", "fmaf", "exp", "expf", "exp2", "exp2f", "exp10", "exp10f",
    "log", "logf", "log2", "log2f", "log10", "log10f", "pow", "powf", "sqrt", "sqrtf", "sin",
    "sinf", "cos", "cosf", "tan", "tanf", "sincos", "sincosf", "floor", "floorf", "ceil", "ceilf",
    "trunc", "truncf", "round", "roundf", "roundeven", "roundevenf", "rint", "rintf", "nearbyint",
    "nearbyintf", "lrint", "lrintf", "llrint", "lround", "llround", "fmax", "fmaxf", "fmin",
    "fminf", "fabs", "copysign", "ldexp", "ldexpf", "frexp", "cbrt",
    // operations that processors have no instruction for
    "__divti3", "__udivti3", "__modti3", "__umodti3", "__multi3", "__mulodi4", "__ashlti3",
    "__lshrti3", "__ashrti3", "__popcountdi2", "__floattidf", "__floattisf", "__floatuntidf",
    "__fixdfti", "__fixunsdfti", "__extendhfsf2", "__truncsfhf2", "__truncdfhf2", "__powidf2",
    "__powisf2"};

/// Returns the functions that LLVM calls on its own (C, math and runtime libraries), as far as the
/// process has them. Must be called on the thread that opens a runtime: if that is a library's
/// constructor, dlsym() on any other thread waits until dlopen() has returned.
std::map<std::string, void *, std::less<>> usual_symbols() {
  std::map<std::string, void *, std::less<>> found;
  void *program = dlopen(nullptr, RTLD_LAZY);
  if (!program)
    return found;
  for (const char *name : kNames)
    if (void *address = dlsym(program, name))
      found.emplace(name, address);
  dlclose(program);
  return found;
}

// The place that variants of directly called handlers return to, under the name that LLVM uses for
// it.
constexpr const char *kDirectReturn = "__x86_return_thunk";

// The bytes that allocators, the arena and the unwinder keep for a piece in addition to those that
// are counted. The value is measured, and a test checks it.
constexpr std::size_t kKeptPerPiece = 1300;

// While this is held, no code is added or removed anywhere in the process, gdb's list does not
// change, and the process cannot fork.
base::Mutex &one_at_a_time() {
  // Never destroyed: code may be removed while the process exits.
  static auto *instance = new base::Mutex;
  return *instance;
}

void dump(const core::CodeImage &image, std::uint64_t code) {
  const std::vector<LineRow> rows = line_rows(image.debug);
  for (const core::Function &function : image.functions) {
    std::vector<LineRow> lines;
    for (const LineRow &row : rows)
      if (row.at >= function.begin && row.at - function.begin < function.bytes)
        lines.push_back({row.at - function.begin, row.file, row.line});
    const std::uint64_t address = code + function.begin;
    JitDump::instance().add(
        {function.name, address,
         std::string_view(reinterpret_cast<const char *>(address), function.bytes), lines,
         function_frames(image, function)});
  }
}

// Returns an address in the program's text, near which code is best placed.
const void *anchor_of(const Linker::Symbols &symbols) {
  static const char here = 0;
  if (const auto found = symbols.find(kDirectReturn); found != symbols.end())
    return found->second; // direct calls come from code near it, and return to it
  return symbols.empty() ? &here : symbols.begin()->second;
}

void *find(const Linker::Symbols &symbols, const std::string &name) {
  const auto found = symbols.find(name);
  return found == symbols.end() ? nullptr : found->second;
}

void *find_in_process(const std::string &name) {
  // Never destroyed: code may be linked while the process exits.
  static const auto &usual = *new Linker::Symbols(usual_symbols());
  static void *const process = dlopen(nullptr, RTLD_NOW);
  void *const known = find(usual, name);
  return known ? known : dlsym(process, name.c_str());
}

} // namespace

/// The resources of a piece of code in this process, in the order of their creation.
struct Linker::Placed {
  Arena::Piece piece;
  std::optional<Area> data;
  UnwindTable table;
  KeptLines lines;
  DebuggerEntry debugger;

  [[nodiscard]] std::size_t resident_bytes() const {
    return piece.bytes() + (data ? data->bytes() : 0) + debugger.bytes() + kKeptPerPiece;
  }
};

class Linker::LinkedCode final : public Code {
public:
  LinkedCode(Linker &linker, Placed placed, const core::CodeImage &image, Kind kind)
      : linker_(linker), placed_(std::move(placed)), entry_(placed_->piece.code() + image.entry),
        bytes_(image.code.size() + image.data.size() + image.zeroed),
        text_bytes_(image.code.size()), resident_bytes_(placed_->resident_bytes()),
        is_variant_(kind == Kind::variant) {
    linker_.linked_ += is_variant_ ? 1 : 0;
    linker_.bytes_ += bytes_;
    linker_.resident_bytes_ += resident_bytes_;
  }
  ~LinkedCode() override {
    const std::lock_guard lock(one_at_a_time());
    linker_.released_ += is_variant_ ? 1 : 0;
    linker_.bytes_ -= bytes_;
    linker_.resident_bytes_ -= resident_bytes_;
    placed_.reset();
  }
  LinkedCode(const LinkedCode &) = delete;
  LinkedCode &operator=(const LinkedCode &) = delete;

  [[nodiscard]] void *entry() const override { return entry_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] std::size_t resident_bytes() const override { return resident_bytes_; }
  [[nodiscard]] std::span<const std::byte> text() const override {
    return {reinterpret_cast<const std::byte *>(placed_->piece.code()), text_bytes_};
  }

private:
  Linker &linker_;
  std::optional<Placed> placed_;
  void *entry_;
  std::size_t bytes_;
  std::size_t text_bytes_;
  std::size_t resident_bytes_;
  bool is_variant_;
};

Linker::Linker(Symbols program, PerfNames perf)
    : program_(std::move(program)), perf_(perf), programs_unwinder_(unwinder_of(program_)),
      arena_(anchor_of(program_)) {}

Result<std::uint64_t> Linker::address_of(const core::Symbol &symbol, const Symbols &own) const {
  for (const Symbols *symbols : {&own, &program_})
    if (const auto found = symbols->find(symbol.name); found != symbols->end())
      return reinterpret_cast<std::uint64_t>(found->second);
  if (const void *address = find_in_process(symbol.name))
    return reinterpret_cast<std::uint64_t>(address);
  if (symbol.may_be_missing)
    return 0;
  return std::unexpected(
      Failure{ErrorCode::missing_symbol, symbol.name,
              "is used by a handler but has no address in the program",
              "define it in the program, or export it with -rdynamic if the handler module "
              "comes from a file"});
}

Result<std::unique_ptr<Code>> Linker::link(const core::CodeImage &image, const Symbols &own,
                                           Kind kind) {
  try {
    // Before the lock is taken: a thread in dlopen() may wait for it.
    std::vector<std::uint64_t> addresses;
    for (const core::Symbol &symbol : image.symbols) {
      auto address = address_of(symbol, own);
      if (!address)
        return std::unexpected(std::move(address.error()));
      addresses.push_back(*address);
    }
    const std::lock_guard lock(one_at_a_time());
    auto code = place(image, addresses, kind);
    if (code) {
      (*code)->remarks = image.remarks;
      (*code)->fold_report = image.fold_report;
    }
    return code;
  } catch (const std::bad_alloc &) {
    base::use_reserve();
    return std::unexpected(Failure{
        ErrorCode::compile_failed, "the linker", "has run out of memory",
        "the active code stays active; allow the process more memory, or more mappings of it "
        "(vm.max_map_count)"});
  }
}

Result<std::unique_ptr<Code>> Linker::place(const core::CodeImage &image,
                                            const std::vector<std::uint64_t> &addresses,
                                            Kind kind) {
  Arena::Piece piece = arena_.take(image.code.size(), image.alignment);
  std::optional<Area> data;
  if (const std::size_t bytes = image.data.size() + image.zeroed; bytes > 0) {
    data.emplace(Area::map_once(anchor_of(program_), in_pages(bytes)));
    if (!data->code())
      throw std::bad_alloc();
  }
  const Ground ground{piece.code(), piece.writable(), data ? data->writable() : nullptr};
  if (auto filled = fill(image, ground, addresses); !filled)
    return std::unexpected(std::move(filled.error()));
  if (!piece.seal())
    return std::unexpected(
        Failure{ErrorCode::compile_failed, image.name,
                "may not be executed: the system refuses to map memory so",
                "the active code stays active; allow the program executable memory"});
  const auto code = reinterpret_cast<std::uint64_t>(piece.code());
  report_perf(image, code);
  UnwindTable table(image.unwind_bytes > 0 ? piece.code() + image.unwind : nullptr,
                    {piece.code(), piece.bytes()}, programs_unwinder_);
  KeptLines lines(image);
  DebuggerEntry debugger(debug_object(image, code, lines.are_kept()));
  return std::make_unique<LinkedCode>(*this,
                                      Placed{std::move(piece), std::move(data), std::move(table),
                                             std::move(lines), std::move(debugger)},
                                      image, kind);
}

void Linker::report_perf(const core::CodeImage &image, std::uint64_t code) const {
  if (perf_ == PerfNames::none)
    return;
  if (perf_ == PerfNames::dump)
    return dump(image, code);
  std::vector<PerfMap::Function> functions;
  for (const core::Function &function : image.functions)
    functions.push_back({code + function.begin, function.bytes, function.name});
  PerfMap::instance().add(functions);
}

Linker::Usage Linker::usage() const {
  const std::uint64_t released = released_;
  return {static_cast<std::size_t>(linked_ - released), bytes_, resident_bytes_, released};
}

} // namespace sartor::runtime
