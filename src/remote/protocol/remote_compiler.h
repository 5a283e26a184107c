// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_REMOTE_COMPILER_H
#define SARTOR_REMOTE_PROTOCOL_REMOTE_COMPILER_H

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/thread/mutex.h"
#include "core/compiler/compiler.h"
#include "remote/protocol/connector.h"

namespace sartor::remote {

/// A compiler that is not in this process. Each of its makers has a conversation of its own with
/// it, and begins another one after it was lost. Thread-safe.
class RemoteCompiler final : public core::Compiler {
public:
  /// `connector` must outlive it.
  explicit RemoteCompiler(Connector &connector) : connector_(connector) {}

  Result<core::HandlerModule> load_embedded(std::span<const sartor_module> modules) override;
  Result<core::HandlerModule> load_file(const std::string &name,
                                        const std::string &content) override;
  Result<core::Toolchain> toolchain() override;
  Result<void> check_pipeline(const Pipeline &pipeline) override;
  Result<void> report_quarantined(const base::ContentKey &asked) override;
  std::unique_ptr<core::Maker>
  make_maker(std::shared_ptr<const core::HandlerModule> module) override;

private:
  Connector &connector_;
  base::Mutex mutex_;
  std::optional<core::Toolchain>
      toolchain_; ///< Requested once: all reachable compilers are of one build.
};

} // namespace sartor::remote

#endif
