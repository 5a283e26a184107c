// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_LINK_PLUGIN_H
#define SARTOR_JIT_LINK_PLUGIN_H

#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>

namespace sartor::jit {

/// A plugin of the linker's that keeps nothing by resource: it only adds passes.
class LinkPlugin : public llvm::orc::ObjectLinkingLayer::Plugin {
public:
  llvm::Error notifyFailed(llvm::orc::MaterializationResponsibility &) override {
    return llvm::Error::success();
  }
  llvm::Error notifyRemovingResources(llvm::orc::JITDylib &, llvm::orc::ResourceKey) override {
    return llvm::Error::success();
  }
  void notifyTransferringResources(llvm::orc::JITDylib &, llvm::orc::ResourceKey,
                                   llvm::orc::ResourceKey) override {}
};

} // namespace sartor::jit

#endif
