// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILE_MAKER_H
#define SARTOR_COMPILE_MAKER_H

#include <map>
#include <memory>
#include <optional>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/compiler.h"
#include "point/host.h"

namespace sartor::jit {

class LlvmMaker final : public Maker {
public:
  /// Without a host, for the machine we run on. `refuses_directives`: see
  /// InsideCompiler::refuse_directives().
  LlvmMaker(std::shared_ptr<const point::HandlerModule> module, std::optional<point::Host> host,
            bool refuses_directives);
  ~LlvmMaker() override;
  LlvmMaker(const LlvmMaker &) = delete;
  LlvmMaker &operator=(const LlvmMaker &) = delete;

  Result<std::unique_ptr<Draft>> draft(const specialize::Context &context,
                                       const std::string &symbol, const Purpose &purpose,
                                       const Deadline &deadline) override;
  Result<image::Image> entry_function(const std::string &handler,
                                      const std::map<unsigned, BoundArgument> &bound, bool inlined,
                                      const Deadline &deadline) override;
  Result<image::Image> rotation_stub(const std::string &handler, const RotationSite &site,
                                     const Deadline &deadline) override;

  /// Generates code that is entered at `symbol`. Fails with compile_failed, also for what LLVM has
  /// to say against the handler's own code.
  Result<image::Image> generate_image(llvm::Module &module, llvm::TargetMachine &machine,
                                      const std::string &symbol);
  llvm::TargetMachine &machine(Tier tier);
  [[nodiscard]] const Space &space() const { return module_->space; }
  /// To be held while code is made.
  [[nodiscard]] point::Aim aim() const { return point::Aim(host_ ? &*host_ : nullptr); }

private:
  struct Copy;

  Copy &copy();
  std::string lacking_features(const llvm::Module &module);
  Result<image::Image> make_thunk(Result<std::unique_ptr<llvm::Module>> thunk,
                                  const std::string &symbol, const Deadline &deadline);

  std::shared_ptr<const point::HandlerModule> module_;
  std::optional<point::Host> host_;
  bool refuses_directives_;
  /// Made when they are needed: a program that finds all its code on disk needs none.
  std::unique_ptr<llvm::TargetMachine> quick_;
  std::unique_ptr<llvm::TargetMachine> full_;
  std::unique_ptr<Copy> copy_;
};

} // namespace sartor::jit

#endif
