// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILE_INSPECT_H
#define SARTOR_COMPILE_INSPECT_H

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "compiler/inspect.h"
#include "point/host.h"
#include "space/module.h"

namespace sartor::jit {

class LlvmInspector final : public Inspector {
public:
  /// `host`: what code is made for; nothing: the machine we run on.
  LlvmInspector(const point::HandlerModule &module, std::optional<point::Host> host);
  ~LlvmInspector() override;
  LlvmInspector(const LlvmInspector &) = delete;
  LlvmInspector &operator=(const LlvmInspector &) = delete;

  Result<Inspection> inspect(specialize::Context context) override;
  Result<Listing> list(const specialize::Context &context, const Pipeline &pipeline) override;
  Result<std::vector<FunctionSize>> sizes(const specialize::Context &context,
                                          const Pipeline &pipeline) override;
  Result<void> check(const specialize::Context &context) override;
  std::vector<Place> places(const std::string &handler) override;
  Wanted wanted() override;
  std::map<std::string, specialize::KernelMap, std::less<>> kernel_maps() override;

private:
  struct Copy;

  [[nodiscard]] point::Aim aim() const { return point::Aim(host_ ? &*host_ : nullptr); }

  /// Optimised, without marks.
  Result<std::unique_ptr<llvm::Module>> made(Copy &copy, const specialize::Context &context,
                                             const Pipeline &pipeline);

  const point::HandlerModule &module_;
  const std::optional<point::Host> host_;
  std::unique_ptr<Copy> copy_;
  std::unique_ptr<Copy> marked_; ///< With places of functions; null before it is needed.
};

} // namespace sartor::jit

#endif
