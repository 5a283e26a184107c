// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_INSPECT_H
#define SARTOR_COMPILER_CODEGEN_INSPECT_H

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "compiler/frontend/host.h"
#include "core/compiler/inspect.h"
#include "core/space/module.h"

namespace sartor::compiler {

class LlvmInspector final : public core::Inspector {
public:
  /// `host` is the machine that code is generated for; without one, it is the machine that the
  /// process runs on.
  LlvmInspector(const core::HandlerModule &module, std::optional<Host> host);
  ~LlvmInspector() override;
  LlvmInspector(const LlvmInspector &) = delete;
  LlvmInspector &operator=(const LlvmInspector &) = delete;

  Result<core::Inspection> inspect(core::Context context) override;
  Result<core::Listing> list(const core::Context &context, const Pipeline &pipeline) override;
  Result<std::vector<core::FunctionSize>> sizes(const core::Context &context,
                                                const Pipeline &pipeline) override;
  Result<void> check(const core::Context &context) override;
  std::vector<core::MarkedPlace> places(const std::string &handler) override;
  core::Comparability comparability(const std::string &handler) override;
  core::Wanted wanted() override;
  std::map<std::string, core::KernelMap, std::less<>> kernel_maps() override;

private:
  struct Copy;

  [[nodiscard]] Aim aim() const { return Aim(host_ ? &*host_ : nullptr); }

  /// Makes the specialized module and optimises it; the result has no marks.
  Result<std::unique_ptr<llvm::Module>> made(Copy &copy, const core::Context &context,
                                             const Pipeline &pipeline);

  const core::HandlerModule &module_;
  const std::optional<Host> host_;
  std::unique_ptr<Copy> copy_;
  std::unique_ptr<Copy>
      marked_; ///< With a debug location of its own for each function; null until needed.
};

} // namespace sartor::compiler

#endif
