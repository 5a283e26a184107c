// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/opening.h"

#include <cerrno>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "space/stored_module.h"
#include "store/request_key.h"

namespace sartor::jit {

namespace {

Result<point::HandlerModule> read(std::string_view stored, std::span<const sartor_module> modules) {
  auto module = point::unpack(stored);
  if (module)
    module->resolve(modules);
  return module;
}

std::optional<point::HandlerModule> find_beforehand(std::span<const sartor_module> modules,
                                                    const store::Opening &opening,
                                                    const store::Beforehand &beforehand) {
  for (const store::Making &making : beforehand.makings()) {
    const auto key = store::opening_key(opening, making);
    if (const auto stored = key ? beforehand.find(*key) : std::nullopt)
      if (auto module = read(*stored, modules))
        return std::move(*module);
  }
  return std::nullopt;
}

} // namespace

Result<point::HandlerModule> open_embedded(std::span<const sartor_module> modules,
                                           const Means &means) {
  const store::Stores &stores = means.stores;
  const auto opening = stores.beforehand || stores.disk ? store::opening_of(modules) : std::nullopt;
  if (stores.beforehand) {
    if (auto module =
            opening ? find_beforehand(modules, *opening, *stores.beforehand) : std::nullopt)
      return std::move(*module);
    means.report("beforehand_unusable",
                 {ErrorCode::file_error, modules.front().source,
                  "the program carries images, of another build of Sartor or of its handlers, or "
                  "for processors that can do more than this one",
                  "make them again, with this build of Sartor and --cpu for this processor"});
  }
  const auto key =
      opening && stores.disk ? store::opening_key(*opening, store::made_here()) : std::nullopt;
  if (key)
    if (const auto stored = stores.disk->find(*key))
      if (auto module = read(*stored, modules))
        return module;
  auto found = compiler(means.where, modules.empty() ? "this program" : modules.front().source);
  if (!found)
    return std::unexpected(std::move(found.error()));
  auto module = (*found)->load_embedded(modules);
  // What had to be left out is tried again the next time.
  const auto toolchain = (*found)->toolchain();
  if (key && module && module->left_out.empty() && toolchain)
    stores.disk->insert(*key,
                        {"(handlers and points)", "", module->source, "opening", toolchain->cpu,
                         toolchain->llvm, toolchain->sartor, std::time(nullptr)},
                        point::pack(*module));
  return module;
}

Result<point::HandlerModule> open_file(const std::string &path,
                                       std::span<const sartor_module> symbols, const Means &means) {
  std::ifstream file(path, std::ios::binary);
  std::string content(std::istreambuf_iterator<char>(file), {});
  if (!file) {
    const int why = errno;
    return std::unexpected(Failure{ErrorCode::file_error, path,
                                   std::generic_category().message(why),
                                   "name a readable bitcode or .ll file"});
  }
  auto found = compiler(means.where, path);
  if (!found)
    return std::unexpected(std::move(found.error()));
  auto module = (*found)->load_file(path, content);
  if (module) {
    module->resolve(symbols);
    module->source = path;
  }
  return module;
}

} // namespace sartor::jit
