// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/choose_compiler.h"

#include <map>
#include <memory>
#include <utility>

#include "base/thread/mutex.h"
#include "remote/protocol/out_of_process.h"
#include "remote/protocol/to_server.h"

namespace sartor::runtime {

namespace {

bool is_unanswered(const Failure &failure) {
  return failure.code == ErrorCode::no_compiler || failure.code == ErrorCode::compiler_lost ||
         failure.code == ErrorCode::server_refused;
}

// Asks the server first. If there is no compiler in this process either, the server's failure says
// more.
template <class Ask> auto ask(core::Compiler &server, const Ask &ask) -> decltype(ask(server)) {
  auto answer = ask(server);
  if (answer || !is_unanswered(answer.error()))
    return answer;
  const auto here = in_process_compiler();
  return here ? ask(**here) : std::move(answer);
}

class FallbackMaker final : public core::Maker {
public:
  FallbackMaker(core::Compiler &server, std::shared_ptr<const core::HandlerModule> module)
      : module_(std::move(module)), server_(server.make_maker(module_)) {}

  Result<std::unique_ptr<core::Draft>> draft(const core::Context &context,
                                             const std::string &symbol,
                                             const core::Purpose &purpose,
                                             const core::Deadline &deadline) override {
    return ask([&](core::Maker &maker) { return maker.draft(context, symbol, purpose, deadline); });
  }
  Result<core::CodeImage> entry_function(const std::string &handler,
                                         const std::map<unsigned, BoundArgument> &bound,
                                         bool inlined, const core::Deadline &deadline) override {
    return ask([&](core::Maker &maker) {
      return maker.entry_function(handler, bound, inlined, deadline);
    });
  }
  Result<core::CodeImage> rotation_stub(const std::string &handler, const core::RotationSite &site,
                                        const core::Deadline &deadline) override {
    return ask([&](core::Maker &maker) { return maker.rotation_stub(handler, site, deadline); });
  }
  Result<core::CheckingStub> checking_stub(const std::string &handler,
                                           const core::Deadline &deadline) override {
    return ask([&](core::Maker &maker) { return maker.checking_stub(handler, deadline); });
  }

private:
  template <class Ask> auto ask(const Ask &ask) -> decltype(ask(std::declval<core::Maker &>())) {
    auto answer = ask(*server_);
    if (answer || !is_unanswered(answer.error()))
      return answer;
    if (!here_)
      if (const auto found = in_process_compiler())
        here_ = (*found)->make_maker(module_);
    return here_ ? ask(*here_) : std::move(answer);
  }

  std::shared_ptr<const core::HandlerModule> module_;
  std::unique_ptr<core::Maker> server_;
  std::unique_ptr<core::Maker> here_; ///< Null until it is needed.
};

/// A server's compiler, and the one in this process, if it is installed, for requests that no
/// server answers (CompilerServer::fallback). Thread-safe.
class FallbackCompiler final : public core::Compiler {
public:
  /// `server` must outlive it.
  explicit FallbackCompiler(core::Compiler &server) : server_(server) {}

  Result<core::HandlerModule> load_embedded(std::span<const sartor_module> modules) override;
  Result<core::HandlerModule> load_file(const std::string &name,
                                        const std::string &content) override;
  Result<core::Toolchain> toolchain() override;
  Result<void> check_pipeline(const Pipeline &pipeline) override;
  Result<void> report_quarantined(const base::ContentKey &asked) override;
  std::unique_ptr<core::Maker>
  make_maker(std::shared_ptr<const core::HandlerModule> module) override;

private:
  core::Compiler &server_;
};

Result<core::HandlerModule>
FallbackCompiler::load_embedded(std::span<const sartor_module> modules) {
  return ask(server_, [&](core::Compiler &compiler) { return compiler.load_embedded(modules); });
}

Result<core::HandlerModule> FallbackCompiler::load_file(const std::string &name,
                                                        const std::string &content) {
  return ask(server_, [&](core::Compiler &compiler) { return compiler.load_file(name, content); });
}

Result<core::Toolchain> FallbackCompiler::toolchain() {
  return ask(server_, [](core::Compiler &compiler) { return compiler.toolchain(); });
}

Result<void> FallbackCompiler::check_pipeline(const Pipeline &pipeline) {
  return ask(server_, [&](core::Compiler &compiler) { return compiler.check_pipeline(pipeline); });
}

Result<void> FallbackCompiler::report_quarantined(const base::ContentKey &asked) {
  return server_.report_quarantined(asked);
}

std::unique_ptr<core::Maker>
FallbackCompiler::make_maker(std::shared_ptr<const core::HandlerModule> module) {
  return std::make_unique<FallbackMaker>(server_, std::move(module));
}

// One for each server; never destroyed.
core::Compiler &with_fallback(core::Compiler &server) {
  static auto &mutex = *new base::Mutex; // never destroyed: threads may be lost in it
  static auto &all = *new std::map<core::Compiler *, FallbackCompiler>;
  const base::MutexLock lock(mutex);
  return all.try_emplace(&server, server).first->second;
}

} // namespace

Result<core::Compiler *> choose_compiler(const CompilerAt &where, const std::string &wanted) {
  switch (where.place) {
  case CompilerLocation::in_process:
    return in_process_compiler();
  case CompilerLocation::out_of_process:
    return &remote::out_of_process_compiler();
  case CompilerLocation::server:
    return where.server.fallback ? &with_fallback(remote::compiler_of(where.server))
                                 : &remote::compiler_of(where.server);
  case CompilerLocation::none:
    break;
  }
  return std::unexpected(Failure{
      ErrorCode::no_compiler, wanted, "was not compiled ahead of time, and there is no compiler",
      "compile it with `sartor compile`, or set the compiler to in-process (Options::compiler, "
      "SARTOR_COMPILER)"});
}

} // namespace sartor::runtime
