// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load/image.h"

#include <utility>

#include "load/stock_loader.h"

namespace sartor::load {

namespace {

Result<Library> read(const std::filesystem::path &path) {
  auto file = ElfFile::open(path);
  if (!file)
    return std::unexpected(std::move(file.error()));
  auto code = find_call_sites(*file);
  if (!code)
    return std::unexpected(std::move(code.error()));
  return Library{path, std::move(*file), std::move(*code)};
}

} // namespace

Result<Image> image_of(const std::filesystem::path &program) {
  Image image;
  const auto add = [&](const std::filesystem::path &path) -> Result<void> {
    auto library = read(path);
    if (!library)
      return std::unexpected(std::move(library.error()));
    image.libraries.push_back(std::move(*library));
    return {};
  };
  if (auto added = add(program); !added)
    return std::unexpected(std::move(added.error()));
  const ElfFile &file = image.libraries.front().file;
  if (!file.dynamic())
    return image;
  if (!file.interpreter().empty() && file.interpreter() != stock_loader)
    return std::unexpected(Failure{
        ErrorCode::bad_elf, program.string(), "asks for another loader: " + file.interpreter(),
        std::string("only programs of ") + stock_loader + " can be looked at"});
  auto list = list_libraries(program);
  if (!list)
    return std::unexpected(std::move(list.error()));
  for (const std::filesystem::path &path : list->found)
    if (auto added = add(path); !added)
      return std::unexpected(std::move(added.error()));
  image.missing = std::move(list->missing);
  return image;
}

} // namespace sartor::load
