// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/section.h"

#include <cstdint>
#include <cstring>

#include <llvm/Object/ObjectFile.h>

#include "base/raw_bytes.h"

namespace sartor::compiler {

namespace {

constexpr std::string_view kMagic = "SARTORBC";
constexpr std::size_t kAlignment = 8;

std::size_t padded(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

} // namespace

std::string framed(std::string_view bitcode) {
  const std::uint64_t size = bitcode.size();
  std::string frame(kMagic);
  base::append_raw(frame, size);
  frame.append(bitcode);
  frame.resize(kFrameHeaderSize + padded(bitcode.size()));
  return frame;
}

Result<std::vector<std::string>> unframe(std::string_view section, const std::string &file) {
  std::vector<std::string> modules;
  while (!section.empty()) {
    std::uint64_t size = 0;
    if (section.size() >= kFrameHeaderSize && section.starts_with(kMagic))
      std::memcpy(&size, section.data() + kMagic.size(), sizeof size);
    if (size == 0 || size > section.size() - kFrameHeaderSize)
      return std::unexpected(Failure{ErrorCode::bad_bitcode, file,
                                     "its section of handler bitcode is damaged",
                                     "build the program again"});
    modules.emplace_back(section.substr(kFrameHeaderSize, size));
    section.remove_prefix(std::min(section.size(), kFrameHeaderSize + padded(size)));
  }
  return modules;
}

namespace {

Result<std::vector<std::string>> bitcode_in(const llvm::object::ObjectFile &object,
                                            const std::string &file, const char *remedy) {
  for (const auto &section : object.sections()) {
    auto name = section.getName();
    if (!name || *name != kBitcodeSection) {
      llvm::consumeError(name.takeError());
      continue;
    }
    auto contents = section.getContents();
    if (!contents)
      return std::unexpected(Failure{ErrorCode::bad_bitcode, file,
                                     llvm::toString(contents.takeError()),
                                     "build the program again"});
    return unframe(*contents, file);
  }
  return std::unexpected(
      Failure{ErrorCode::no_handler_module, file, "has no handler module", remedy});
}

} // namespace

Result<std::vector<std::string>> embedded_bitcode(const std::string &path) {
  auto object = llvm::object::ObjectFile::createObjectFile(path);
  if (!object)
    return std::unexpected(Failure{ErrorCode::file_error, path, llvm::toString(object.takeError()),
                                   "name an ELF program or shared library"});
  return bitcode_in(*object->getBinary(), path,
                    "give its handler files to sartor_add_handler() in CMake, or compile them by "
                    "sartor-cc");
}

Result<std::string> kernel_bitcode(const std::string &name, const std::string &object) {
  auto read = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, name));
  if (!read)
    return std::unexpected(Failure{ErrorCode::file_error, name, llvm::toString(read.takeError()),
                                   "give an object file of clang's for BPF"});
  auto found =
      bitcode_in(**read, name,
                 "give its source to sartor_add_bpf_handler() in CMake, and mark its handlers "
                 "with SARTOR_HANDLER");
  if (!found)
    return std::unexpected(std::move(found.error()));
  return std::move(found->front());
}

} // namespace sartor::compiler
