// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_MAKER_H
#define SARTOR_COMPILER_CODEGEN_MAKER_H

#include <map>
#include <memory>
#include <optional>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/frontend/host.h"
#include "core/compiler/compiler.h"

namespace sartor::compiler {

class LlvmMaker final : public core::Maker {
public:
  /// Without a host, code is for the machine that the process runs on. `refuses_directives`: see
  /// InProcessCompiler::refuse_directives().
  LlvmMaker(std::shared_ptr<const core::HandlerModule> module, std::optional<Host> host,
            bool refuses_directives);
  ~LlvmMaker() override;
  LlvmMaker(const LlvmMaker &) = delete;
  LlvmMaker &operator=(const LlvmMaker &) = delete;

  Result<std::unique_ptr<core::Draft>> draft(const core::Context &context,
                                             const std::string &symbol,
                                             const core::Purpose &purpose,
                                             const core::Deadline &deadline) override;
  Result<core::CodeImage> entry_function(const std::string &handler,
                                         const std::map<unsigned, BoundArgument> &bound,
                                         bool inlined, const core::Deadline &deadline) override;
  Result<core::CheckingStub> checking_stub(const std::string &handler,
                                           const core::Deadline &deadline) override;
  Result<core::CodeImage> rotation_stub(const std::string &handler, const core::RotationSite &site,
                                        const core::Deadline &deadline) override;

  /// See InProcessCompiler::frame_call().
  Result<core::FrameCall> frame_call(const std::string &handler);

  /// Generates code whose entry is `symbol`. Fails with compile_failed, also if LLVM reports an
  /// error in the handler's own code.
  Result<core::CodeImage> generate_image(llvm::Module &module, llvm::TargetMachine &machine,
                                         const std::string &symbol);
  llvm::TargetMachine &machine(core::Tier tier);
  [[nodiscard]] const Space &space() const { return module_->space; }
  /// Must be held while code is generated.
  [[nodiscard]] Aim aim() const { return Aim(host_ ? &*host_ : nullptr); }

private:
  struct Copy;

  Copy &copy();
  std::string lacking_features(const llvm::Module &module);
  Result<core::CodeImage> make_thunk(Result<std::unique_ptr<llvm::Module>> thunk,
                                     const std::string &symbol, const core::Deadline &deadline);

  std::shared_ptr<const core::HandlerModule> module_;
  std::optional<Host> host_;
  bool refuses_directives_;
  /// Created when needed: a program that finds all its code on disk needs none of them.
  std::unique_ptr<llvm::TargetMachine> quick_;
  std::unique_ptr<llvm::TargetMachine> full_;
  std::unique_ptr<Copy> copy_;
};

} // namespace sartor::compiler

#endif
