// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/context.h"

#include <utility>

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

class Collector final : public DiagnosticHandler {
public:
  explicit Collector(std::shared_ptr<std::string> errors) : errors_(std::move(errors)) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error) {
      raw_string_ostream stream(*errors_);
      DiagnosticPrinterRawOStream printer(stream);
      stream << (errors_->empty() ? "" : "; ");
      info.print(printer);
    }
    return true;
  }

private:
  std::shared_ptr<std::string> errors_;
};

} // namespace

Diagnostics::Diagnostics(LLVMContext &context) : errors_(std::make_shared<std::string>()) {
  context.setDiagnosticHandler(std::make_unique<Collector>(errors_));
}

std::string Diagnostics::take_errors() { return std::exchange(*errors_, {}); }

} // namespace sartor::compiler
