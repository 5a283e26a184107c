// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/bitcode.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

#include "compiler/frontend/host.h"
#include "compiler/frontend/llvm_version.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

std::unexpected<Failure> fail(ErrorCode code, const std::string &name, std::string message,
                              std::string remedy) {
  return std::unexpected(Failure{code, name, std::move(message), std::move(remedy)});
}

bool is_bitcode(StringRef bytes) { return isBitcode(bytes.bytes_begin(), bytes.bytes_end()); }

// Returns the LLVM version in the producer text ("LLVM22.1.8" or "LLVM22.1.2-rust-1.95.0-stable"),
// or zero if the text has another form.
unsigned producer_version(MemoryBufferRef buffer) {
  auto producer = getBitcodeProducerString(buffer);
  if (!producer) {
    consumeError(producer.takeError());
    return 0;
  }
  StringRef text(*producer);
  unsigned major = 0;
  if (!text.consume_front("LLVM") || text.consumeInteger(10, major))
    return 0;
  return major;
}

Result<std::unique_ptr<Module>> parse(StringRef bytes, const std::string &name,
                                      LLVMContext &context) {
  if (bytes.empty())
    return fail(ErrorCode::bad_bitcode, name, "is empty", "build the handler module again");
  const MemoryBufferRef buffer(bytes, name);
  if (is_bitcode(bytes)) {
    const unsigned version = producer_version(buffer);
    if (version > LLVM_VERSION_MAJOR)
      return fail(ErrorCode::wrong_llvm_version, name,
                  "was written by LLVM " + std::to_string(version) + "; needed is LLVM " +
                      std::to_string(LLVM_VERSION_MAJOR) + " or older",
                  "compile the handlers with clang-" + std::to_string(LLVM_VERSION_MAJOR));
    auto module = parseBitcodeFile(buffer, context);
    if (!module)
      return fail(ErrorCode::bad_bitcode, name, toString(module.takeError()),
                  "build the handler module again");
    return std::move(*module);
  }
  SMDiagnostic diagnostic;
  auto module = parseAssembly(buffer, diagnostic, context);
  if (!module)
    return fail(ErrorCode::bad_bitcode, name,
                "is neither bitcode nor LLVM assembly: line " +
                    std::to_string(diagnostic.getLineNo()) + ": " + diagnostic.getMessage().str(),
                "build the handler module again");
  return module;
}

} // namespace

Result<std::unique_ptr<Module>> read_module(StringRef bytes, const std::string &name,
                                            LLVMContext &context) {
  auto module = parse(bytes, name, context);
  if (!module)
    return module;
  const Triple triple = triple_of(**module);
  if (triple.getArch() != host().triple.getArch() || triple.getOS() != host().triple.getOS())
    return fail(ErrorCode::wrong_target, name,
                "is for " + (triple.str().empty() ? "no named target" : triple.str()) +
                    ", this machine is " + host().triple.str(),
                "compile the handlers for this machine");
  if ((*module)->getDataLayout() != host().layout)
    return fail(ErrorCode::wrong_target, name,
                "has the data layout " + (*module)->getDataLayoutStr() + ", this machine has " +
                    host().layout.getStringRepresentation(),
                "compile the handlers for this machine, with the clang that Sartor was built for");
  std::string problems;
  raw_string_ostream stream(problems);
  if (verifyModule(**module, &stream))
    return fail(ErrorCode::bad_bitcode, name, "is not valid IR: " + problems,
                "build the handler module again");
  return module;
}

} // namespace sartor::compiler
