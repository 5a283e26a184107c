// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_IMAGE_IMAGE_H
#define SARTOR_CORE_IMAGE_IMAGE_H

#include <cstdint>
#include <string>
#include <vector>

#include <sartor/folded.hpp>
#include <sartor/remark.hpp>

namespace sartor::core {

/// What executes an image.
enum class Architecture : unsigned char {
  x86_64,
  aarch64, ///< Little-endian.
  armv7,   ///< Little-endian, hard floats, no Thumb.
  riscv64, ///< RV64GC, lp64d.
  kernel,  ///< BPF. The image's code is an object file, which Linux is given by libbpf.
  kLast = kernel,
};

/// What is written into a fill once it is known where the image lies. P is the fill's own address,
/// S that of its symbol, A its addend.
enum class FillKind : unsigned char {
  address,  ///< 8 bytes: S + A.
  relative, ///< 4 bytes: S + A - P, which must be within reach.
  /// 4 bytes of a branch to a stub of the image's: S + A - P where that is within reach. Otherwise
  /// the stub does it.
  branch,
  /// 4 bytes of an instruction that reads S from a table of the image's: it becomes one that has
  /// S itself where that is within reach, and stays as it is otherwise.
  load,
  address32, ///< 4 bytes: S + A, where addresses have as many.
  arm_low,   ///< The 16 bits in ARM's instruction `movw`: the lower ones of S + A.
  arm_high,  ///< Those in `movt`: the upper ones.
  kLast = arm_high,
};

/// Symbols that are no names.
inline constexpr std::uint32_t kOwnCode = 0xffff'ffff; ///< Where the image's code begins.
inline constexpr std::uint32_t kOwnData = 0xffff'fffe; ///< Where its data begin.

/// A place in an image that hangs on where it, or something else, lies.
struct Fill {
  std::uint64_t at; ///< In the code, or, from Image::code.size() on, in the data behind it.
  std::int64_t addend;
  std::uint32_t symbol; ///< A number in Image::symbols, kOwnCode or kOwnData.
  FillKind kind;

  bool operator==(const Fill &) const = default;
};

struct Symbol {
  std::string name;
  bool may_be_missing = false; ///< Its address is then null.

  bool operator==(const Symbol &) const = default;
};

/// A function in an image, as perf and gdb show it.
struct Function {
  std::string name;
  std::uint64_t begin; ///< In the code.
  std::uint64_t bytes;

  bool operator==(const Function &) const = default;
};

/// Machine code as data: what answers a request. It can lie anywhere once its fills are filled, so
/// it can be kept, sent, and placed by somebody who has no compiler (runtime/codemem/linker.h). Of
/// other architectures than x86-64, all that is filled in is addresses, and it has no variables of
/// its own. A plain value.
struct Image {
  Architecture architecture = Architecture::x86_64;
  std::string name;               ///< Of its function, as perf and gdb show it: `matmul{B=16}`.
  std::string code;               ///< To be executed and read; constants are in it.
  std::string data;               ///< Variables of its own, without those that begin as zero.
  std::uint64_t zeroed = 0;       ///< Bytes of those, behind `data`.
  std::uint32_t alignment = 1;    ///< Of the code and of the data: a power of two, a page at most.
  std::uint64_t entry = 0;        ///< Where it is entered, in the code.
  std::uint64_t unwind = 0;       ///< Its unwind table (.eh_frame) in the code,
  std::uint64_t unwind_bytes = 0; ///< with its end mark; none if zero.
  std::vector<Symbol> symbols;
  std::vector<Fill> fills;
  std::vector<Function> functions;
  /// What was asked for and changed nothing in it, and why.
  std::vector<Remark> remarks;
  /// What has become of promised memory in it. Promises have other numbers elsewhere: their part is
  /// empty, and the request's own (core::Draft).
  Folded folded;

  bool operator==(const Image &) const = default;
};

/// Gives it, and what in it is named after it, another name.
void rename(Image &image, const std::string &name);

} // namespace sartor::core

#endif
