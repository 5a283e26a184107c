// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/fallback_compiler.h"
#include "runtime/jit/choose_compiler.h"

#include <utility>

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

} // namespace

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

} // namespace sartor::runtime
