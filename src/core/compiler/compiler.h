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

#include <sartor/folded.hpp>
#include <sartor/module.h>
#include <sartor/options.hpp>
#include <sartor/remark.hpp>

#include "base/hash.h"
#include "base/result.h"
#include "core/compiler/deadline.h"
#include "core/compiler/inspect.h"
#include "core/compiler/rotation_block.h"
#include "core/compiler/tier.h"
#include "core/image/image.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "core/space/published.h"

namespace sartor::core {

/// What turns IR into object code, as far as it decides what comes out.
struct Toolchain {
  std::string sartor; ///< Version.
  std::string llvm;   ///< Version.
  std::string build;  ///< Build ids of the code of both. Empty: one has none, and no key is good.
  std::string triple;
  std::string cpu;      ///< LLVM's name.
  std::string features; ///< LLVM's "+avx2,-avx512f,...".
};

/// What a draft is for.
struct Purpose {
  Tier tier = Tier::full;
  Pipeline pipeline;
  /// Caches are to be asked for what is made of it, before that is made.
  bool wants_key = false;
  /// As small as can be, rather than as fast.
  bool is_small = false;
};

/// A variant on its way: the handler specialized, nothing optimised yet. One thread at a time.
class Draft {
public:
  virtual ~Draft() = default;

  /// Its code, for the draft's purpose, which has passed check_assertions(). Once. Fails with what
  /// check_assertions(), optimize(), generate() and make_image() fail with.
  virtual Result<Image> make(const Deadline &deadline) = 0;

  /// By which caches know its code in the full tier, where that was wanted and can be had: a hash
  /// of its bitcode and of all that decides what becomes of it.
  std::optional<base::ContentKey> key;
  std::vector<std::uint64_t> promises; ///< On which it leans, sorted.
  /// Addresses that are left out of its image where a key was wanted and memory is promised, so
  /// that objects alike have one image: what core::place_symbol() of each index stands for.
  std::vector<std::uint64_t> places;
  /// What was asked for and changed nothing in it, and why.
  std::vector<Remark> remarks;
  /// What has become of promised memory in it, but for what is left when it is optimised.
  Folded folded;
  /// It was begun with the code of an earlier stage (Context::stages), not with the source.
  bool from_stage = false;
};

/// Makes code of the handlers of one module. Has its own parsed copy of the module; one
/// thread at a time.
class Maker {
public:
  virtual ~Maker() = default;

  /// Ends the draft before. `symbol`: as perf and gdb show the variant. Fails with what
  /// specialize() fails with and, where it is made at once, with what Draft::make() fails with.
  virtual Result<std::unique_ptr<Draft>> draft(const core::Context &context,
                                               const std::string &symbol, const Purpose &purpose,
                                               const Deadline &deadline) = 0;
  /// See Worker::make_entry_function(); it refers to what is in core/compiler/entry_symbols.h.
  /// `inlined`: the process has membarrier().
  virtual Result<Image> entry_function(const std::string &handler,
                                       const std::map<unsigned, BoundArgument> &bound, bool inlined,
                                       const Deadline &deadline) = 0;
  /// See Worker::make_rotation_stub().
  virtual Result<Image> rotation_stub(const std::string &handler, const RotationSite &site,
                                      const Deadline &deadline) = 0;
};

/// What answers requests with images, wherever it is: values in, values out. Thread-safe.
class Compiler {
public:
  virtual ~Compiler() = default;

  /// See compiler/frontend/load.h. The addresses of symbols are only compared with each other.
  virtual Result<HandlerModule> load_embedded(std::span<const sartor_module> modules) = 0;
  virtual Result<HandlerModule> load_file(const std::string &name, const std::string &content) = 0;
  /// The one whose code it makes.
  virtual Result<Toolchain> toolchain() = 0;
  /// Whether a pipeline can be parsed and its plugins loaded. Fails with bad_pipeline.
  virtual Result<void> check_pipeline(const Pipeline &pipeline) = 0;
  /// For the machine that the module was loaded for.
  virtual std::unique_ptr<Maker> make_maker(std::shared_ptr<const HandlerModule> module) = 0;
};

/// LLVM in this process, without a type of its: what lies behind is a library of its own, which a
/// process loads when something must be made and not before.
class InsideCompiler : public Compiler {
public:
  /// From now on `fatal` is called, on its thread, where LLVM would end the process; it does not
  /// return on threads that compile. Where LLVM has no memory, std::bad_alloc is thrown.
  virtual void take_errors(void (*fatal)(const char *reason)) = 0;

  /// From now on, inline assembly with directives that read files or fill memory (see
  /// compiler/codegen/assembly.h) is not assembled: drafts of such handlers fail with
  /// compile_failed. For compilers that work for other processes.
  virtual void refuse_directives() = 0;
  /// See compiler/codegen/check_module.h. For a module that another process has sent.
  virtual Result<void> check_module(const HandlerModule &module) = 0;

  /// One that opens modules and makes code for a level of x86-64, or another architecture (see
  /// compiler/frontend/host.h), rather than for the machine we run on. Fails with wrong_target.
  virtual Result<std::unique_ptr<InsideCompiler>> aimed_at(const std::string &target) = 0;

  /// See compiler/frontend/load.h.
  virtual Result<HandlerModule> load_program(const std::string &path) = 0;
  /// See compiler/frontend/publish.h.
  virtual Result<Published> publish(const std::string &name, const std::string &content) = 0;
  /// `module` must outlive it.
  virtual std::unique_ptr<Inspector> make_inspector(const HandlerModule &module) = 0;
  /// Puts a section that is not loaded into an ELF file, or something else into the one of that
  /// name. The file is replaced as a whole; where that fails it stays as it was. Fails with
  /// file_error.
  virtual Result<void> put_section(const std::string &path, const std::string &name,
                                   const std::string &content) = 0;
};

} // namespace sartor::core

#endif
