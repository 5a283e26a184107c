// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_REMOTE_COMPILER_H
#define SARTOR_REMOTE_REMOTE_COMPILER_H

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "compiler/compiler.h"
#include "engine/mutex.h"
#include "remote/connector.h"

namespace sartor::remote {

/// A compiler that is not in this process. Each of its makers has a conversation of its own with
/// it, and begins another one when it was lost. Thread-safe.
class RemoteCompiler final : public jit::Compiler {
public:
  /// `connector` must outlive it.
  explicit RemoteCompiler(Connector &connector) : connector_(connector) {}

  Result<point::HandlerModule> load_embedded(std::span<const sartor_module> modules) override;
  Result<point::HandlerModule> load_file(const std::string &name,
                                         const std::string &content) override;
  Result<jit::Toolchain> toolchain() override;
  Result<void> check_pipeline(const Pipeline &pipeline) override;
  std::unique_ptr<jit::Maker>
  make_maker(std::shared_ptr<const point::HandlerModule> module) override;

private:
  Connector &connector_;
  engine::Mutex mutex_;
  std::optional<jit::Toolchain>
      toolchain_; ///< Asked for once: all that it reaches is of one build.
};

} // namespace sartor::remote

#endif
