// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/put_section.h"

#include <llvm/ObjCopy/CommonConfig.h>
#include <llvm/ObjCopy/ConfigManager.h>
#include <llvm/ObjCopy/ObjCopy.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/FileOutputBuffer.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

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

} // namespace

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

} // namespace sartor::compiler
