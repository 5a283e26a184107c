// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_COMPILERS_SERVICE_H
#define SARTOR_REMOTE_SERVER_COMPILERS_SERVICE_H

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "core/compiler/compiler.h"
#include "remote/protocol/channel.h"

namespace sartor::remote {

/// Answers programs' questions with the compiler in this process. Thread-safe.
class Service {
public:
  /// `most_message` is the maximum size of a question in bytes. `after_fatal` is called on a thread
  /// that cannot return from LLVM, after the client has been notified of the failure with this
  /// code; it does not return.
  Service(core::InProcessCompiler &compiler, std::size_t most_message,
          std::function<void(ErrorCode)> after_fatal);

  /// Serves one conversation, until the program ends it. The thread's stack must be large enough
  /// for LLVM.
  void serve(std::unique_ptr<Stream> stream);

private:
  class Conversation;

  /// Handler modules that programs have sent, by hash, the latest first.
  struct Known {
    std::string hash;
    std::shared_ptr<const core::HandlerModule> module;
  };

  std::shared_ptr<const core::HandlerModule> find(const std::string &hash);
  void keep(const std::string &hash, std::shared_ptr<const core::HandlerModule> module);

  core::InProcessCompiler &compiler_;
  std::size_t most_message_;
  std::function<void(ErrorCode)> after_fatal_;
  std::mutex mutex_;
  std::list<Known> modules_;
};

} // namespace sartor::remote

#endif
