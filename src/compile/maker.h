// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILE_MAKER_H
#define SARTOR_COMPILE_MAKER_H

#include <map>
#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "jit/compiler.h"

namespace sartor::jit {

class LlvmMaker final : public Maker {
public:
  explicit LlvmMaker(std::shared_ptr<const point::HandlerModule> module);
  ~LlvmMaker() override;
  LlvmMaker(const LlvmMaker &) = delete;
  LlvmMaker &operator=(const LlvmMaker &) = delete;

  Result<std::unique_ptr<Draft>> draft(const specialize::Context &context,
                                       const std::string &symbol) override;
  Result<Thunk> entry_function(const std::string &handler, const void *target,
                               const std::map<unsigned, BoundArgument> &bound,
                               const Deadline &deadline) override;
  Result<Thunk> rotation_stub(const std::string &handler, const RotationSite &site,
                              const Deadline &deadline) override;

  /// Generates code; what the handler's own code is refused for is told of. Fails with
  /// compile_failed.
  Result<std::string> generate_object(llvm::Module &module, llvm::TargetMachine &machine);
  llvm::TargetMachine &machine(Tier tier);

private:
  struct Copy;

  Copy &copy();
  Result<Thunk> make_thunk(Result<std::unique_ptr<llvm::Module>> thunk, std::string symbol,
                           const Deadline &deadline);

  std::shared_ptr<const point::HandlerModule> module_;
  /// Made when they are needed: a program that finds all its code on disk needs none.
  std::unique_ptr<llvm::TargetMachine> quick_;
  std::unique_ptr<llvm::TargetMachine> full_;
  std::unique_ptr<Copy> copy_;
};

} // namespace sartor::jit

#endif
