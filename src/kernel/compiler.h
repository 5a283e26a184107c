// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_KERNEL_COMPILER_H
#define SARTOR_KERNEL_COMPILER_H

#include <chrono>
#include <memory>
#include <string>

#include "image/image.h"
#include "jit/workshop.h"
#include "observe/result.h"
#include "request/context.h"
#include "space/module.h"

namespace sartor::kernel {

/// Makes objects of the handlers in one object file, on the threads that compile for all of the
/// process. Thread-safe.
class Compiler {
public:
  /// Fails with no_compiler, and what point::load_kernel_object() fails with.
  static Result<std::unique_ptr<Compiler>> open(const std::string &name, const std::string &object,
                                                std::chrono::milliseconds timeout);

  [[nodiscard]] const point::HandlerModule &module() const { return *module_; }
  /// The object file of a variant, whose program is called `symbol`. Waits for it. Fails with what
  /// jit::Maker::draft() and jit::Draft::make() fail with, and no_thread.
  Result<image::Image> make(specialize::Context context, const std::string &symbol);

private:
  Compiler(std::shared_ptr<jit::InsideCompiler> aimed,
           std::shared_ptr<const point::HandlerModule> module, std::chrono::milliseconds timeout);

  std::shared_ptr<jit::InsideCompiler> aimed_; ///< At the kernel.
  std::shared_ptr<const point::HandlerModule> module_;
  jit::Workshop workshop_;
};

} // namespace sartor::kernel

#endif
