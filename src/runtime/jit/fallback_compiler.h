// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_FALLBACK_COMPILER_H
#define SARTOR_RUNTIME_JIT_FALLBACK_COMPILER_H

#include "core/compiler/compiler.h"

namespace sartor::runtime {

/// A server's compiler, and the one in this process, if it is installed, for requests that no
/// server answers (CompilerServer::fallback). Thread-safe.
class FallbackCompiler final : public core::Compiler {
public:
  /// `server` must outlive it.
  explicit FallbackCompiler(core::Compiler &server) : server_(server) {}

  Result<core::HandlerModule> load_embedded(std::span<const sartor_module> modules) override;
  Result<core::HandlerModule> load_file(const std::string &name,
                                        const std::string &content) override;
  Result<core::Toolchain> toolchain() override;
  Result<void> check_pipeline(const Pipeline &pipeline) override;
  Result<void> report_quarantined(const base::ContentKey &asked) override;
  std::unique_ptr<core::Maker>
  make_maker(std::shared_ptr<const core::HandlerModule> module) override;

private:
  core::Compiler &server_;
};

} // namespace sartor::runtime

#endif
