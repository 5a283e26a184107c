// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/handlers_in.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/opening.h"
#include "tools/cli/kernel_objects.h"

namespace sartor::cli {

namespace {

/// Wraps a compiler without ownership.
std::shared_ptr<core::InProcessCompiler> borrowed(core::InProcessCompiler *compiler) {
  return {std::shared_ptr<void>(), compiler};
}

std::string content_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
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
  const std::string content = content_of(path);
  if (!is_kernel_object(content)) {
    const auto extension = std::filesystem::path(path).extension();
    auto module = extension == ".bc" || extension == ".ll"
                      ? runtime::open_file(path, {}, {{}, {}, {}})
                      : (*compiler)->load_program(path);
    if (module)
      found.push_back({std::move(*module), borrowed(*compiler), {}});
    else if (module.error().code != ErrorCode::no_handler_module ||
             kernel_objects_in(content).empty())
      return std::unexpected(std::move(module.error()));
  }
  std::optional<Failure> problem;
  for (const std::string_view object : kernel_objects_in(content)) {
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
