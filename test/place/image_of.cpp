// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image_of.h"

#include <stdexcept>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/SourceMgr.h>

#include "compile/compile.h"
#include "compile/make_image.h"
#include "point/host.h"

namespace sartor::place {

Result<image::Image> try_image_of(const char *text, const std::string &entry) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    throw std::logic_error(diagnostic.getMessage().str());
  auto machine = point::make_target_machine(llvm::CodeGenOptLevel::Default);
  module->setTargetTriple(point::host().triple);
  module->setDataLayout(point::host().layout);
  const auto object = jit::generate(*module, *machine);
  return object ? jit::make_image(*object, entry) : std::unexpected(object.error());
}

image::Image image_of(const char *text, const std::string &entry) {
  auto image = try_image_of(text, entry);
  if (!image)
    throw std::logic_error(image.error().text());
  return std::move(*image);
}

} // namespace sartor::place
