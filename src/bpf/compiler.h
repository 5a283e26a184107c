// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_COMPILER_H
#define SARTOR_BPF_COMPILER_H

#include <chrono>
#include <memory>
#include <string>

#include "base/result.h"
#include "core/image/image.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "runtime/jit/workshop.h"

namespace sartor::bpf {

/// Makes objects of the handlers in one object file, on the threads that compile for all of the
/// process. Thread-safe.
class Compiler {
public:
  /// Fails with no_compiler, and what compiler::load_kernel_object() fails with.
  static Result<std::unique_ptr<Compiler>> open(const std::string &name, const std::string &object,
                                                std::chrono::milliseconds timeout);

  [[nodiscard]] const core::HandlerModule &module() const { return *module_; }
  /// The object file of a variant, whose program is called `symbol`. Waits for it. Fails with what
  /// core::Maker::draft() and core::Draft::make() fail with, and no_thread.
  Result<core::Image> make(core::Context context, const std::string &symbol);

private:
  Compiler(std::shared_ptr<core::InsideCompiler> aimed,
           std::shared_ptr<const core::HandlerModule> module, std::chrono::milliseconds timeout);

  std::shared_ptr<core::InsideCompiler> aimed_; ///< At the kernel.
  std::shared_ptr<const core::HandlerModule> module_;
  runtime::Workshop workshop_;
};

} // namespace sartor::bpf

#endif
