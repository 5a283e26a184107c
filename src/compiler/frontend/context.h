// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_CONTEXT_H
#define SARTOR_COMPILER_FRONTEND_CONTEXT_H

#include <exception>
#include <memory>
#include <string>

#include <llvm/IR/LLVMContext.h>

namespace sartor::compiler {

/// An LLVM context that is leaked when an exception (typically std::bad_alloc) passes: LLVM's
/// frames do not clean up, so their objects cannot be destroyed.
class Context {
public:
  Context() = default;
  ~Context() {
    if (std::uncaught_exceptions() > before_)
      (void)context_.release();
  }
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  // NOLINTNEXTLINE(google-explicit-constructor): it is one
  operator llvm::LLVMContext &() { return *context_; }

private:
  int before_ = std::uncaught_exceptions();
  std::unique_ptr<llvm::LLVMContext> context_ = std::make_unique<llvm::LLVMContext>();
};

/// Collects the errors that LLVM finds in the modules of a context. By default, a context prints
/// errors and ends the process.
class Diagnostics {
public:
  explicit Diagnostics(llvm::LLVMContext &context);

  /// Returns the errors since the previous call; empty if none.
  std::string take_errors();

private:
  std::shared_ptr<std::string> errors_;
};

} // namespace sartor::compiler

#endif
