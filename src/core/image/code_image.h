// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_IMAGE_CODE_IMAGE_H
#define SARTOR_CORE_IMAGE_CODE_IMAGE_H

#include <cstdint>
#include <string>
#include <vector>

#include <sartor/fold_report.hpp>
#include <sartor/remark.hpp>

namespace sartor::core {

/// The architecture that executes an image.
enum class Architecture : unsigned char {
  x86_64,
  aarch64, ///< Little-endian.
  armv7,   ///< Little-endian, hard floats, no Thumb.
  riscv64, ///< RV64GC, lp64d.
  kernel,  ///< BPF. The image's code is an object file, which libbpf loads into Linux.
  kLast = kernel,
};

/// The value that is written into a fill once the address of the image is known. P is the fill's
/// own address, S that of its symbol, A its addend.
enum class FillKind : unsigned char {
  address,  ///< 8 bytes: S + A.
  relative, ///< 4 bytes: S + A - P, which must be in range.
  /// 4 bytes of a branch to a stub of the image: S + A - P if that is in range. Otherwise it
  /// branches to the stub.
  branch,
  /// 4 bytes of an instruction that reads S from a table of the image: it is rewritten to use S
  /// itself if that is in range, and left unchanged otherwise.
  load,
  address32, ///< 4 bytes: S + A, on architectures with addresses of 4 bytes.
  arm_low,   ///< The 16 bits in ARM's instruction `movw`: the lower half of S + A.
  arm_high,  ///< The 16 bits in `movt`: the upper half of S + A.
  kLast = arm_high,
};

/// Symbol numbers without a name.
inline constexpr std::uint32_t kOwnCode = 0xffff'ffff; ///< Start of the image's code.
inline constexpr std::uint32_t kOwnData = 0xffff'fffe; ///< Start of the image's data.

/// A position in an image whose content depends on addresses.
struct Fill {
  std::uint64_t at; ///< In the code, or, from CodeImage::code.size() on, in the data after it.
  std::int64_t addend;
  std::uint32_t symbol; ///< An index of CodeImage::symbols, kOwnCode or kOwnData.
  FillKind kind;

  bool operator==(const Fill &) const = default;
};

struct Symbol {
  std::string name;
  bool may_be_missing = false; ///< If missing, its address is null.

  bool operator==(const Symbol &) const = default;
};

/// A function in an image, with its name in perf and gdb.
struct Function {
  std::string name;
  std::uint64_t begin; ///< Offset in the code.
  std::uint64_t bytes;

  bool operator==(const Function &) const = default;
};

/// A section with debug information (DWARF 5). References to other sections are resolved.
struct DebugSection {
  std::string name; ///< `.debug_line`.
  std::string content;
  /// Positions of 8 bytes with an offset in the code, in place of which there is an address once
  /// the image has one.
  std::vector<std::uint32_t> addresses;

  bool operator==(const DebugSection &) const = default;
};

/// Machine code as data: the answer to a request. It can be placed anywhere once its fills are
/// filled, so it can be stored, sent, and placed by a process without a compiler
/// (runtime/codemem/linker.h). Images of other architectures than x86-64 have only fills of
/// addresses, and no variables of their own. A plain value.
struct CodeImage {
  Architecture architecture = Architecture::x86_64;
  std::string name;               ///< Name of its function in perf and gdb: `matmul{B=16}`.
  std::string code;               ///< Executable and readable; includes constants.
  std::string data;               ///< Its own variables, without those that are initially zero.
  std::uint64_t zeroed = 0;       ///< Size of the zeroed variables, after `data`.
  std::uint32_t alignment = 1;    ///< Of the code and of the data: a power of two, at most a page.
  std::uint64_t entry = 0;        ///< Offset of the entry in the code.
  std::uint64_t unwind = 0;       ///< Offset of its unwind table (.eh_frame) in the code.
  std::uint64_t unwind_bytes = 0; ///< Size with the end mark; 0: no table.
  std::vector<Symbol> symbols;
  std::vector<Fill> fills;
  std::vector<Function> functions;
  /// Source lines of the code, with inlined functions. Empty if the handler was compiled without
  /// lines, and on other architectures than x86-64. No two sections have the same name.
  std::vector<DebugSection> debug;
  /// Requests that had no effect on it, and the reasons.
  std::vector<Remark> remarks;
  /// Effect of invariant memory on it. Invariants have different numbers in other processes: their
  /// part is empty, and is supplied for each request (core::Draft).
  FoldReport fold_report;

  bool operator==(const CodeImage &) const = default;
};

/// Renames it, and the symbols in it that are named after it, also for debuggers.
void rename(CodeImage &image, const std::string &name);

} // namespace sartor::core

#endif
