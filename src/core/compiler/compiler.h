// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_COMPILER_H
#define SARTOR_CORE_COMPILER_COMPILER_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sartor/fold_report.hpp>
#include <sartor/module.h>
#include <sartor/options.hpp>
#include <sartor/remark.hpp>

#include "base/hash.h"
#include "base/result.h"
#include "core/compiler/checked_call.h"
#include "core/compiler/comparability.h"
#include "core/compiler/deadline.h"
#include "core/compiler/frame_call.h"
#include "core/compiler/inspect.h"
#include "core/compiler/pass_limit.h"
#include "core/compiler/rotation_block.h"
#include "core/compiler/tier.h"
#include "core/image/code_image.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "core/space/published.h"

namespace sartor::core {

/// The properties of the compiler that determine its output.
struct Toolchain {
  std::string sartor; ///< Version.
  std::string llvm;   ///< Version.
  std::string build;  ///< Build ids of the code of both. Empty: one has none, and no key is valid.
  std::string triple;
  std::string cpu;      ///< LLVM's name.
  std::string features; ///< In LLVM's format "+avx2,-avx512f,...".
};

/// The purpose of a draft.
struct Purpose {
  Tier tier = Tier::full;
  Pipeline pipeline;
  /// Caches are to be searched for the code of the draft before it is made.
  bool wants_key = false;
  /// Optimize for size rather than for speed.
  bool is_small = false;
  /// Null if all passes run. Must outlive the draft.
  PassLimit *limit = nullptr;
  /// The number of bytes that it may allocate; 0 if there is no limit. Compilers in this process
  /// have none.
  std::uint64_t memory = 0;
};

/// A variant that is being made: the handler is specialized, but not optimized. For one thread at a
/// time.
class Draft {
public:
  virtual ~Draft() = default;

  /// Makes its code for the draft's purpose; the draft has passed check_assertions(). May be called
  /// once. Fails with the errors of check_assertions(), optimize(), generate() and make_image().
  virtual Result<CodeImage> make(const Deadline &deadline) = 0;

  /// The key in caches of its code in the full tier, if it was requested and is available: a hash
  /// of its bitcode and of everything that determines the result.
  std::optional<base::ContentKey> key;
  std::vector<std::uint64_t> invariants; ///< Invariants that it depends on, sorted.
  /// Addresses that are left out of its image if a key was requested and invariant memory is used,
  /// so that similar objects have one image: the values of core::place_symbol() for each index.
  std::vector<std::uint64_t> places;
  /// Requests that had no effect on it, and the reasons.
  std::vector<Remark> remarks;
  /// Effect of invariant memory on it, without the parts that are known after optimization.
  FoldReport fold_report;
  /// It was made from the code of an earlier stage (Context::stages), not from the source.
  bool from_stage = false;
  /// Identifies the request at the server that has answered it, for Compiler::report_quarantined().
  std::optional<base::ContentKey> asked;
};

/// A function of a handler's type whose calls are compared, if they can be; `image` is empty
/// otherwise.
struct CheckingStub {
  Comparability comparability;
  CodeImage image;
};

/// Makes code for the handlers of one module. Has its own parsed copy of the module; for one thread
/// at a time.
class Maker {
public:
  virtual ~Maker() = default;

  /// Invalidates the previous draft. `symbol`: name of the variant in perf and gdb. Fails with the
  /// errors of specialize() and, if it is made at once, with those of Draft::make().
  virtual Result<std::unique_ptr<Draft>> draft(const core::Context &context,
                                               const std::string &symbol, const Purpose &purpose,
                                               const Deadline &deadline) = 0;
  /// See Worker::make_entry_function(); the code refers to the symbols of
  /// core/compiler/entry_symbols.h. `inlined`: the process has membarrier().
  virtual Result<CodeImage> entry_function(const std::string &handler,
                                           const std::map<unsigned, BoundArgument> &bound,
                                           bool inlined, const Deadline &deadline) = 0;
  /// See Worker::find_checking_stub(); the code refers to the symbols of checked_call.h.
  virtual Result<CheckingStub> checking_stub(const std::string &handler,
                                             const Deadline &deadline) = 0;
  /// See Worker::make_rotation_stub().
  virtual Result<CodeImage> rotation_stub(const std::string &handler, const RotationSite &site,
                                          const Deadline &deadline) = 0;
};

/// Answers requests with images, at any location: a function from values to values. Thread-safe.
class Compiler {
public:
  virtual ~Compiler() = default;

  /// See compiler/frontend/load.h. The addresses of symbols are only compared with each other.
  virtual Result<HandlerModule> load_embedded(std::span<const sartor_module> modules) = 0;
  virtual Result<HandlerModule> load_file(const std::string &name, const std::string &content) = 0;
  /// The toolchain that makes its code.
  virtual Result<Toolchain> toolchain() = 0;
  /// Checks that a pipeline can be parsed and its plugins loaded. Fails with bad_pipeline.
  virtual Result<void> check_pipeline(const Pipeline &pipeline) = 0;
  /// Reports to a server that its answer to a request (Draft::asked) is quarantined. Fails as its
  /// questions do. Compilers of this program alone do nothing.
  virtual Result<void> report_quarantined(const base::ContentKey & /*asked*/) { return {}; }
  /// For the machine that the module was loaded for.
  virtual std::unique_ptr<Maker> make_maker(std::shared_ptr<const HandlerModule> module) = 0;
};

/// LLVM in this process, without LLVM types in the interface: the implementation is a separate
/// library, which a process loads when something must be compiled and not before.
class InProcessCompiler : public Compiler {
public:
  /// From now on, calls `fatal`, on the affected thread, where LLVM would end the process; it does
  /// not return on threads that compile. If LLVM runs out of memory, std::bad_alloc is thrown.
  virtual void take_errors(void (*fatal)(const char *reason)) = 0;

  /// From now on, refuses inline assembly with directives that read files or fill memory (see
  /// compiler/codegen/assembly.h): drafts of such handlers fail with compile_failed. For compilers
  /// that work for other processes.
  virtual void refuse_directives() = 0;
  /// Checks that the points and handlers of a module that another process has sent are those that
  /// its bitcode declares.
  virtual Result<void> check_module(const HandlerModule &module) = 0;

  /// Returns a compiler that opens modules and makes code for a level of x86-64, or another
  /// architecture (see compiler/frontend/host.h), rather than for this machine. Fails with
  /// wrong_target.
  virtual Result<std::unique_ptr<InProcessCompiler>> aimed_at(const std::string &target) = 0;

  /// See compiler/frontend/load.h.
  virtual Result<HandlerModule> load_program(const std::string &path) = 0;
  /// See publish() in compiler/codegen/llvm_compiler.cpp.
  virtual Result<Published> publish(const std::string &name, const std::string &content) = 0;
  /// Fails with unknown_handler, and with point_not_specializable for a variadic handler.
  virtual Result<FrameCall> frame_call(std::shared_ptr<const HandlerModule> module,
                                       const std::string &handler) = 0;
  /// `module` must outlive it.
  virtual std::unique_ptr<Inspector> make_inspector(const HandlerModule &module) = 0;
  /// Adds a section that is not loaded to an ELF file, or replaces the content of the section of
  /// that name. The file is replaced atomically; on failure it is unchanged. Fails with file_error.
  virtual Result<void> put_section(const std::string &path, const std::string &name,
                                   const std::string &content) = 0;
};

} // namespace sartor::core

#endif
