// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILE_INSPECT_H
#define SARTOR_COMPILE_INSPECT_H

#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "compiler/inspect.h"
#include "space/module.h"

namespace sartor::jit {

class LlvmInspector final : public Inspector {
public:
  explicit LlvmInspector(const point::HandlerModule &module);
  ~LlvmInspector() override;
  LlvmInspector(const LlvmInspector &) = delete;
  LlvmInspector &operator=(const LlvmInspector &) = delete;

  Result<Inspection> inspect(const std::string &handler,
                             const Configuration &configuration) override;
  Result<Listing> list(const specialize::Context &context, const Pipeline &pipeline) override;
  Result<std::vector<FunctionSize>> sizes(const specialize::Context &context,
                                          const Pipeline &pipeline) override;
  Result<void> check(const std::string &handler, const Configuration &configuration) override;
  std::vector<Place> places(const std::string &handler) override;
  Wanted wanted() override;

private:
  struct Copy;

  /// Optimised, without marks.
  Result<std::unique_ptr<llvm::Module>> made(Copy &copy, const specialize::Context &context,
                                             const Pipeline &pipeline);

  const point::HandlerModule &module_;
  std::unique_ptr<Copy> copy_;
  std::unique_ptr<Copy> marked_; ///< With places of functions; null before it is needed.
};

} // namespace sartor::jit

#endif
