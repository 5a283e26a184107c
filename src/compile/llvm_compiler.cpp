// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compile/llvm_compiler.h"

#include <atomic>
#include <new>
#include <optional>
#include <utility>

#include <llvm/Support/ErrorHandling.h>

#include "compile/check_module.h"
#include "compile/compile.h"
#include "compile/content_key.h"
#include "compile/inspect.h"
#include "compile/maker.h"
#include "compile/put_section.h"
#include "engine/reserve.h"
#include "point/host.h"
#include "point/load.h"
#include "point/publish.h"

namespace sartor::jit {

namespace {

std::atomic<void (*)(const char *)> tell_fatal;
std::atomic<bool> directives_are_refused = false;

void on_fatal_error(void *, const char *reason, bool) { tell_fatal.load()(reason); }

// LLVM has nothing to go on with, whatever thread it is. No frame of its own cleans up; what it was
// at is not used again.
void on_bad_alloc(void *, const char *, bool) {
  engine::use_reserve();
  throw std::bad_alloc();
}

class LlvmCompiler final : public InsideCompiler {
public:
  LlvmCompiler() = default;
  explicit LlvmCompiler(point::Host host) : host_(std::move(host)) {}

  void take_errors(void (*fatal)(const char *reason)) override {
    tell_fatal = fatal;
    static const bool once = [] {
      llvm::install_fatal_error_handler(on_fatal_error);
      llvm::install_bad_alloc_error_handler(on_bad_alloc);
      return true;
    }();
    (void)once;
  }

  void refuse_directives() override { directives_are_refused = true; }

  Result<std::unique_ptr<InsideCompiler>> aimed_at(const std::string &target) override {
    auto host = point::host_of(target);
    if (!host)
      return std::unexpected(std::move(host.error()));
    return std::make_unique<LlvmCompiler>(std::move(*host));
  }

  Result<point::HandlerModule> load_embedded(std::span<const sartor_module> modules) override {
    const point::Aim aimed = aim();
    return point::load_embedded(modules);
  }
  Result<point::HandlerModule> load_file(const std::string &name,
                                         const std::string &content) override {
    const point::Aim aimed = aim();
    return host_ && host_->triple.isBPF() ? point::load_kernel_object(name, content)
                                          : point::load_file(name, content);
  }
  Result<point::HandlerModule> load_program(const std::string &path) override {
    const point::Aim aimed = aim();
    return point::load_program(path);
  }
  Result<point::Published> publish(const std::string &name, const std::string &content) override {
    const point::Aim aimed = aim();
    return point::publish(name, content);
  }

  Result<void> check_module(const point::HandlerModule &module) override {
    const point::Aim aimed = aim();
    return jit::check_module(module);
  }

  Result<Toolchain> toolchain() override {
    const point::Aim aimed = aim();
    return this_toolchain();
  }
  Result<void> check_pipeline(const Pipeline &pipeline) override {
    const point::Aim aimed = aim();
    return jit::check_pipeline(pipeline);
  }
  std::unique_ptr<Maker> make_maker(std::shared_ptr<const point::HandlerModule> module) override {
    return std::make_unique<LlvmMaker>(std::move(module), host_, directives_are_refused);
  }
  std::unique_ptr<Inspector> make_inspector(const point::HandlerModule &module) override {
    return std::make_unique<LlvmInspector>(module, host_);
  }
  Result<void> put_section(const std::string &path, const std::string &name,
                           const std::string &content) override {
    return jit::put_section(path, name, content);
  }

private:
  [[nodiscard]] point::Aim aim() const { return point::Aim(host_ ? &*host_ : nullptr); }

  const std::optional<point::Host> host_; ///< Nothing: the machine we run on.
};

} // namespace

InsideCompiler &llvm_compiler() {
  static auto *compiler = new LlvmCompiler; // threads may be lost in it
  return *compiler;
}

} // namespace sartor::jit
