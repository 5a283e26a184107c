// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image_of.h"
#include "compiler/frontend/llvm_version.h"

#include <stdexcept>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/SourceMgr.h>

#include "compiler/codegen/compile.h"
#include "compiler/codegen/make_image.h"
#include "compiler/frontend/host.h"

namespace sartor::runtime {

Result<core::CodeImage> try_image_of(const char *text, const std::string &entry) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    throw std::logic_error(diagnostic.getMessage().str());
  auto machine = compiler::make_target_machine(llvm::CodeGenOptLevel::Default);
  compiler::set_triple(*module, compiler::host().triple);
  module->setDataLayout(compiler::host().layout);
  const auto object = compiler::generate(*module, *machine);
  return object ? compiler::make_image(*object, entry) : std::unexpected(object.error());
}

core::CodeImage image_of(const char *text, const std::string &entry) {
  auto image = try_image_of(text, entry);
  if (!image)
    throw std::logic_error(image.error().text());
  return std::move(*image);
}

} // namespace sartor::runtime
