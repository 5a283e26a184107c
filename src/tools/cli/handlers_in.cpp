// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/handlers_in.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <elf.h>

#include "base/file/elf_sections.h"
#include "base/file/regular_file.h"
#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/opening.h"

namespace sartor::cli {

namespace {

std::optional<Elf64_Ehdr> kernel_object_header(std::string_view bytes) {
  const auto header = base::elf_header_of(std::as_bytes(std::span(bytes)));
  return header && header->e_machine == EM_BPF ? header : std::nullopt;
}

/// Returns the length of the object that begins here; 0 if there is none, or only a part of one.
std::uint64_t length_of(std::string_view bytes) {
  const auto header = kernel_object_header(bytes);
  if (!header || header->e_type != ET_REL)
    return 0;
  std::uint64_t end = 0;
  for (const base::FileSection &section : base::sections_in(std::as_bytes(std::span(bytes)))) {
    if (section.header.sh_type == SHT_NOBITS)
      continue;
    if (section.content.size() != section.header.sh_size)
      return 0;
    end = std::max(end, section.header.sh_offset + section.header.sh_size);
  }
  if (end == 0)
    return 0;
  end = std::max(end, header->e_shoff + std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr));
  return end <= bytes.size() ? end : 0;
}

/// Returns the objects for the kernel in a program, as sartor_add_bpf_handler() and skeletons embed
/// them, each once; for such an object, itself. They refer to `file`.
std::vector<std::string_view> kernel_objects_in(std::string_view file) {
  if (kernel_object_header(file))
    return {file};
  std::vector<std::string_view> found;
  for (std::size_t from = 0; (from = file.find(ELFMAG, from)) != std::string_view::npos;) {
    const std::uint64_t length = length_of(file.substr(from));
    const std::string_view object = file.substr(from, length);
    if (length > 0 && std::ranges::find(found, object) == found.end())
      found.push_back(object);
    from += std::max<std::uint64_t>(length, SELFMAG);
  }
  return found;
}

/// Wraps a compiler without ownership.
std::shared_ptr<core::InProcessCompiler> borrowed(core::InProcessCompiler *compiler) {
  return {std::shared_ptr<void>(), compiler};
}

Result<Handlers> open_kernel_object(core::InProcessCompiler &compiler, const std::string &path,
                                    std::string object) {
  auto aimed = compiler.aimed_at("bpf");
  if (!aimed)
    return std::unexpected(std::move(aimed.error()));
  auto module = (*aimed)->load_file(path, object);
  if (!module)
    return std::unexpected(std::move(module.error()));
  return Handlers{std::move(*module), std::move(*aimed), std::move(object)};
}

} // namespace

Result<std::vector<Handlers>> handlers_in(const std::string &path) {
  const auto compiler = runtime::in_process_compiler();
  if (!compiler)
    return std::unexpected(compiler.error());
  std::vector<Handlers> found;
  const auto content = base::read_regular_file(path);
  if (!content)
    return std::unexpected(Failure{ErrorCode::file_error, path, content.error(),
                                   "name a program, an object or a file of bitcode"});
  if (!kernel_object_header(*content)) {
    const auto extension = std::filesystem::path(path).extension();
    auto module = extension == ".bc" || extension == ".ll"
                      ? runtime::open_file(path, {}, {{}, {}, {}})
                      : (*compiler)->load_program(path);
    if (module)
      found.push_back({std::move(*module), borrowed(*compiler), {}});
    else if (module.error().code != ErrorCode::no_handler_module ||
             kernel_objects_in(*content).empty())
      return std::unexpected(std::move(module.error()));
  }
  std::optional<Failure> problem;
  for (const std::string_view object : kernel_objects_in(*content)) {
    auto opened = open_kernel_object(**compiler, path, std::string(object));
    // An object without handlers is no error: another object may have some.
    if (opened)
      found.push_back(std::move(*opened));
    else if (opened.error().code != ErrorCode::no_handler_module)
      return std::unexpected(std::move(opened.error()));
    else
      problem = std::move(opened.error());
  }
  if (found.empty())
    return std::unexpected(std::move(*problem));
  return found;
}

} // namespace sartor::cli
