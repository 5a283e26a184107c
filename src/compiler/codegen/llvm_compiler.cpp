// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/llvm_compiler.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include <llvm/ObjCopy/CommonConfig.h>
#include <llvm/ObjCopy/ConfigManager.h>
#include <llvm/ObjCopy/ObjCopy.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/FileOutputBuffer.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "base/hash.h"
#include "base/reserve.h"
#include "base/result.h"
#include "compiler/codegen/compile.h"
#include "compiler/codegen/content_key.h"
#include "compiler/codegen/inspect.h"
#include "compiler/codegen/maker.h"
#include "compiler/frontend/aliases.h"
#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/analysis/pointed_to.h"
#include "compiler/frontend/bitcode.h"
#include "compiler/frontend/clone.h"
#include "compiler/frontend/context.h"
#include "compiler/frontend/host.h"
#include "compiler/frontend/load.h"
#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/marks/parameters.h"
#include "compiler/frontend/prepare.h"
#include "core/space/module.h"
#include "core/space/published.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// True for a static function that both halves may have a copy of, if they inline it at all. The
// stand-alone code of an inline function may call a function that must not be called.
bool belongs_to_callers(const Function &function) {
  return !is_handler(function) && !function.hasFnAttribute(kFoldAttribute) &&
         !function.hasAddressTaken() && native_only_reason(function).empty() &&
         (function.hasFnAttribute(Attribute::AlwaysInline) ||
          function.hasFnAttribute(Attribute::InlineHint) || !is_worth_sharing(function));
}

// Constants whose addresses are insignificant, such as literals, may exist once in each half.
bool wants_name(const GlobalValue &value) {
  if (const auto *function = dyn_cast<Function>(&value); function && belongs_to_callers(*function))
    return false;
  return value.hasLocalLinkage() && !value.isThreadLocal() && !value.hasGlobalUnnamedAddr() &&
         !value.getName().starts_with("llvm.");
}

/// Gives the static symbols of a handler file global names. `content` is bitcode or textual IR, as
/// for load_file(). The names are hidden from other libraries, and two files of different content
/// share none. Thread-local variables are unchanged. Fails as read_module().
Result<core::Published> publish(const std::string &name, const std::string &content) {
  Context context;
  auto module = read_module(content, name, context);
  if (!module)
    return std::unexpected(std::move(module.error()));
  constexpr std::size_t enough = 12;
  const std::string suffix = ".of." + base::to_text(base::hash_of({content})).substr(0, enough);
  name_handlers(**module);
  for (GlobalValue &value : (*module)->global_values())
    if (wants_name(value)) {
      const auto *function = dyn_cast<Function>(&value);
      if (function == nullptr || !is_handler(*function)) // programs look handlers up by name
        value.setName(value.getName() + suffix);
      value.setLinkage(GlobalValue::ExternalLinkage);
      value.setVisibility(GlobalValue::HiddenVisibility);
    }
  core::Published published;
  const std::unique_ptr<Module> native = compiler::clone_module(**module);
  erase_marks(*native);
  published.native = bitcode_of(*native);
  resolve_aliases(**module); // a constant that is only available externally has none
  for (GlobalVariable &variable : (*module)->globals())
    if (variable.isConstant() && variable.hasExternalLinkage() && variable.hasInitializer())
      variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
  for (Function &function : **module)
    if (!function.isDeclaration() && function.hasExternalLinkage() && !is_handler(function))
      note_in_program(function);
  published.module = bitcode_of(**module);
  return published;
}

std::unexpected<Failure> failed(const std::string &path, llvm::Error error) {
  return std::unexpected(Failure{ErrorCode::file_error, path, toString(std::move(error)),
                                 "the file is as it was; name a program or library of yours that "
                                 "may be written"});
}

bool has_section(const object::Binary &binary, const std::string &name) {
  const auto *object = dyn_cast<object::ObjectFile>(&binary);
  if (!object)
    return false;
  for (const auto &section : object->sections()) {
    auto known = section.getName();
    if (known && *known == name)
      return true;
    consumeError(known.takeError());
  }
  return false;
}

/// Implements Compiler::put_section().
Result<void> put_section(const std::string &path, const std::string &name,
                         const std::string &content) {
  auto binary = object::createBinary(path);
  if (!binary)
    return failed(path, binary.takeError());
  sys::fs::file_status status;
  if (const auto error = sys::fs::status(path, status))
    return failed(path, errorCodeToError(error));
  objcopy::ConfigManager config;
  config.Common.InputFilename = path;
  config.Common.OutputFilename = path;
  if (has_section(*binary->getBinary(), name))
    if (auto error = config.Common.ToRemove.addMatcher(objcopy::NameOrPattern::create(
            name, objcopy::MatchStyle::Literal, [](llvm::Error never) { return never; })))
      return failed(path, std::move(error));
  config.Common.AddSection.emplace_back(name, MemoryBuffer::getMemBufferCopy(content));
  SmallVector<char, 0> made;
  raw_svector_ostream stream(made);
  if (auto error = objcopy::executeObjcopyOnBinary(config, *binary->getBinary(), stream))
    return failed(path, std::move(error));
  auto file = sys::fs::TempFile::create(path + ".%%%%%%", status.permissions());
  if (!file)
    return failed(path, file.takeError());
  raw_fd_ostream out(file->FD, /*shouldClose=*/false);
  out.write(made.data(), made.size());
  out.flush();
  if (out.has_error()) {
    const auto error = out.error();
    out.clear_error();
    consumeError(file->discard());
    return failed(path, errorCodeToError(error));
  }
  if (auto error = file->keep(path))
    return failed(path, std::move(error));
  return {};
}

std::unexpected<Failure> bad(const std::string &subject, std::string why) {
  return std::unexpected(Failure{ErrorCode::bad_bitcode, subject, std::move(why),
                                 "send the module as the compiler has returned it"});
}

bool agree(const Point *listed, PointKind kind, const PointType &type, std::size_t arguments,
           bool is_versioned) {
  return listed && listed->kind == kind && listed->type.kind == type.kind &&
         listed->type.bits == type.bits && listed->arguments.size() == arguments &&
         listed->is_versioned == is_versioned;
}

Result<void> check_points(Module &bitcode, const Space &space) {
  for (Function &function : bitcode) {
    if (compiler::is_call_point(function)) {
      if (auto problem = compiler::call_mark_problem(function))
        return std::unexpected(std::move(*problem));
      const CallMark mark = compiler::read_call_mark(function);
      if (!agree(space.find(mark.label), mark.kind, mark.type, mark.arguments.size(),
                 mark.version_bytes != 0))
        return bad(mark.label, "is another point in the bitcode than in the module");
      continue;
    }
    for (CallInst *call : compiler::points_of(function)) {
      const auto mark = compiler::read_mark(*call);
      if (!mark)
        return std::unexpected(mark.error());
      if (!agree(space.find(mark->label), mark->kind, mark->type, 0, false))
        return bad(mark->label, "is another point in the bitcode than in the module");
    }
  }
  return {};
}

Result<void> check_handlers(Module &bitcode, const core::HandlerModule &module) {
  std::map<std::string, const Function *> functions;
  for (const Function &function : bitcode)
    if (compiler::is_handler(function) &&
        !functions.emplace(compiler::handler_name(function), &function).second)
      return bad(compiler::handler_name(function), "is the name of two handlers");
  for (const core::HandlerModule::Handler &handler : module.handlers) {
    const auto found = functions.find(handler.name);
    if (found == functions.end())
      return bad(handler.name, "is no handler of the module's bitcode");
    if (handler.native_only.empty() && found->second->isDeclaration())
      return bad(handler.name, "has no code in the module's bitcode");
    if (handler.signature != compiler::signature_of(*found->second))
      return bad(handler.name, "has another signature in the module's bitcode");
  }
  return {};
}

/// Checks that a module that another process has sent describes its bitcode correctly: valid IR for
/// this machine, without module-level assembly, with the handlers, signatures and points that the
/// module lists. Fails with bad_bitcode.
Result<void> check_module(const core::HandlerModule &module) {
  compiler::Context context;
  auto bitcode = compiler::read_module(module.bitcode, module.source, context);
  if (!bitcode)
    return std::unexpected(std::move(bitcode.error()));
  if (!(*bitcode)->getModuleInlineAsm().empty())
    return bad(module.source, "has module-level assembly");
  if (auto checked = check_handlers(**bitcode, module); !checked)
    return checked;
  return check_points(**bitcode, module.space);
}

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
  Result<core::FrameCall> frame_call(std::shared_ptr<const core::HandlerModule> module,
                                     const std::string &handler) override {
    return LlvmMaker(std::move(module), host_, directives_are_refused).frame_call(handler);
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
