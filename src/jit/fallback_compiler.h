// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_FALLBACK_COMPILER_H
#define SARTOR_JIT_FALLBACK_COMPILER_H

#include "compiler/compiler.h"

namespace sartor::jit {

/// A server's compiler, and the one in this process for requests that no server answers, where that
/// one is installed (CompilerServer::fallback). Thread-safe.
class FallbackCompiler final : public Compiler {
public:
  /// `server` must outlive it.
  explicit FallbackCompiler(Compiler &server) : server_(server) {}

  Result<point::HandlerModule> load_embedded(std::span<const sartor_module> modules) override;
  Result<point::HandlerModule> load_file(const std::string &name,
                                         const std::string &content) override;
  Result<Toolchain> toolchain() override;
  Result<void> check_pipeline(const Pipeline &pipeline) override;
  std::unique_ptr<Maker> make_maker(std::shared_ptr<const point::HandlerModule> module) override;

private:
  Compiler &server_;
};

} // namespace sartor::jit

#endif
