// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_COMPILER_H
#define SARTOR_BPF_COMPILER_H

#include <chrono>
#include <memory>
#include <string>

#include "base/result.h"
#include "core/image/code_image.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "runtime/jit/compile_queue.h"

namespace sartor::bpf {

/// Makes objects of the handlers in one object file, on the compiling threads of the process.
/// Thread-safe.
class Compiler {
public:
  /// Fails with no_compiler, and as compiler::load_kernel_object() does.
  static Result<std::unique_ptr<Compiler>> open(const std::string &name, const std::string &object,
                                                std::chrono::milliseconds timeout);

  [[nodiscard]] const core::HandlerModule &module() const { return *module_; }
  /// Makes the object file of a variant, whose program is called `symbol`, and waits for it. Fails
  /// as core::Maker::draft() and core::Draft::make() do, and with no_thread.
  Result<core::CodeImage> make(core::Context context, const std::string &symbol);

private:
  Compiler(std::shared_ptr<core::InProcessCompiler> aimed,
           std::shared_ptr<const core::HandlerModule> module, std::chrono::milliseconds timeout);

  std::shared_ptr<core::InProcessCompiler> aimed_; ///< The compiler for the kernel's target.
  std::shared_ptr<const core::HandlerModule> module_;
  runtime::CompileQueue compile_queue_;
};

} // namespace sartor::bpf

#endif
