// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_CODE_LISTENER_H
#define SARTOR_JIT_CODE_LISTENER_H

#include <cstddef>
#include <map>
#include <mutex>

#include "jit/link_plugin.h"

namespace sartor::jit {

/// Learns how large linked code is, and tells perf the names of its functions (perf_map.h).
/// Thread-safe.
class CodeListener final : public LinkPlugin {
public:
  explicit CodeListener(bool write_perf_map) : write_perf_map_(write_perf_map) {}

  void modifyPassConfig(llvm::orc::MaterializationResponsibility &responsibility,
                        llvm::jitlink::LinkGraph &graph,
                        llvm::jitlink::PassConfiguration &passes) override;

  struct Size {
    std::size_t bytes = 0;
    std::size_t paged = 0; ///< The same in whole pages.
  };
  /// What the objects of this library take; forgets it.
  Size take_size(const llvm::orc::JITDylib &dylib);

private:
  void observe(const llvm::orc::JITDylib &dylib, llvm::jitlink::LinkGraph &graph);

  bool write_perf_map_;
  std::mutex mutex_;
  std::map<const llvm::orc::JITDylib *, Size> sizes_;
};

} // namespace sartor::jit

#endif
