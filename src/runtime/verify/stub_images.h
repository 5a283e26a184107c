// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_STUB_IMAGES_H
#define SARTOR_RUNTIME_VERIFY_STUB_IMAGES_H

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/compiler/compiler.h"

namespace sartor::runtime {

/// The checking stubs of handlers as images, which are compiled once; each entry has a copy of its
/// own, linked with its checker. Thread-safe.
class StubImages {
public:
  using Make = std::function<Result<core::CheckingStub>()>;

  /// `make` is called, without a lock, if the handler has none yet. Fails as it does.
  Result<std::shared_ptr<const core::CheckingStub>> find_or(const std::string &handler,
                                                            const Make &make) {
    {
      const base::MutexLock lock(mutex_);
      if (const auto found = images_.find(handler); found != images_.end())
        return found->second;
    }
    auto made = make();
    if (!made)
      return std::unexpected(std::move(made.error()));
    auto stub = std::make_shared<const core::CheckingStub>(std::move(*made));
    const base::MutexLock lock(mutex_);
    return images_.try_emplace(handler, std::move(stub)).first->second;
  }

private:
  base::Mutex mutex_;
  std::map<std::string, std::shared_ptr<const core::CheckingStub>>
      images_ SARTOR_GUARDED_BY(mutex_);
};

} // namespace sartor::runtime

#endif
