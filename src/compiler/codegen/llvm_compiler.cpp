// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/llvm_compiler.h"

#include <atomic>
#include <new>
#include <optional>
#include <utility>

#include <llvm/Support/ErrorHandling.h>

#include "base/reserve.h"
#include "compiler/codegen/check_module.h"
#include "compiler/codegen/compile.h"
#include "compiler/codegen/content_key.h"
#include "compiler/codegen/inspect.h"
#include "compiler/codegen/maker.h"
#include "compiler/codegen/put_section.h"
#include "compiler/frontend/host.h"
#include "compiler/frontend/load.h"
#include "compiler/frontend/publish.h"

namespace sartor::compiler {

namespace {

std::atomic<void (*)(const char *)> report_fatal;
std::atomic<bool> directives_are_refused = false;

void on_fatal_error(void *, const char *reason, bool) { report_fatal.load()(reason); }

// LLVM cannot continue without memory, on any thread. LLVM's frames do not clean up when the
// exception passes them; the objects they worked on are not used again.
void on_bad_alloc(void *, const char *, bool) {
  base::use_reserve();
  throw std::bad_alloc();
}

class LlvmCompiler final : public core::InProcessCompiler {
public:
  LlvmCompiler() = default;
  explicit LlvmCompiler(Host host) : host_(std::move(host)) {}

  void take_errors(void (*fatal)(const char *reason)) override {
    report_fatal = fatal;
    static const bool once = [] {
      llvm::install_fatal_error_handler(on_fatal_error);
      llvm::install_bad_alloc_error_handler(on_bad_alloc);
      return true;
    }();
    (void)once;
  }

  void refuse_directives() override { directives_are_refused = true; }

  Result<std::unique_ptr<core::InProcessCompiler>> aimed_at(const std::string &target) override {
    auto host = compiler::host_of(target);
    if (!host)
      return std::unexpected(std::move(host.error()));
    return std::make_unique<LlvmCompiler>(std::move(*host));
  }

  Result<core::HandlerModule> load_embedded(std::span<const sartor_module> modules) override {
    const Aim aimed = aim();
    return compiler::load_embedded(modules);
  }
  Result<core::HandlerModule> load_file(const std::string &name,
                                        const std::string &content) override {
    const Aim aimed = aim();
    return host_ && host_->triple.isBPF() ? compiler::load_kernel_object(name, content)
                                          : compiler::load_file(name, content);
  }
  Result<core::HandlerModule> load_program(const std::string &path) override {
    const Aim aimed = aim();
    return compiler::load_program(path);
  }
  Result<core::Published> publish(const std::string &name, const std::string &content) override {
    const Aim aimed = aim();
    return compiler::publish(name, content);
  }

  Result<void> check_module(const core::HandlerModule &module) override {
    const Aim aimed = aim();
    return compiler::check_module(module);
  }

  Result<core::Toolchain> toolchain() override {
    const Aim aimed = aim();
    return this_toolchain();
  }
  Result<void> check_pipeline(const Pipeline &pipeline) override {
    const Aim aimed = aim();
    return compiler::check_pipeline(pipeline);
  }
  std::unique_ptr<core::Maker>
  make_maker(std::shared_ptr<const core::HandlerModule> module) override {
    return std::make_unique<LlvmMaker>(std::move(module), host_, directives_are_refused);
  }
  std::unique_ptr<core::Inspector> make_inspector(const core::HandlerModule &module) override {
    return std::make_unique<LlvmInspector>(module, host_);
  }
  Result<void> put_section(const std::string &path, const std::string &name,
                           const std::string &content) override {
    return compiler::put_section(path, name, content);
  }

private:
  [[nodiscard]] Aim aim() const { return Aim(host_ ? &*host_ : nullptr); }

  const std::optional<Host>
      host_; ///< Without a host, code is for the machine that the process runs on.
};

} // namespace

core::InProcessCompiler &llvm_compiler() {
  static auto *compiler =
      new LlvmCompiler; // never destroyed: abandoned threads may still run in it
  return *compiler;
}

} // namespace sartor::compiler
