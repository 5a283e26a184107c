// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_PROGRAM_UNWINDER_H
#define SARTOR_JIT_PROGRAM_UNWINDER_H

#include <memory>

#include "jit/link_plugin.h"
#include "jit/linker.h"

namespace sartor::jit {

/// Tells an unwinder that the program has linked statically of the unwind tables of code, as LLVM
/// tells the one that is loaded with it. Without that, an exception thrown in such a program ends
/// it at the first frame of a variant.
class ProgramUnwinder final : public LinkPlugin {
public:
  /// Null if `program`, the addresses of the program's names, has no unwinder of its own.
  static std::shared_ptr<ProgramUnwinder> find(const Linker::Symbols &program);

  ProgramUnwinder(void *registers, void *deregisters)
      : registers_(registers), deregisters_(deregisters) {}

  void modifyPassConfig(llvm::orc::MaterializationResponsibility &responsibility,
                        llvm::jitlink::LinkGraph &graph,
                        llvm::jitlink::PassConfiguration &passes) override;

private:
  void *registers_;
  void *deregisters_;
};

} // namespace sartor::jit

#endif
