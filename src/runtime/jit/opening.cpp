// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/opening.h"

#include <ctime>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file/regular_file.h"
#include "core/cache/request_key.h"
#include "core/space/stored_module.h"
#include "runtime/jit/choose_compiler.h"

namespace sartor::runtime {

namespace {

Result<core::HandlerModule> read(std::string_view stored, std::span<const sartor_module> modules) {
  auto module = core::unpack_module(stored);
  if (module)
    module->resolve(modules);
  return module;
}

std::optional<core::HandlerModule>
find_ahead_of_time(std::span<const sartor_module> modules, const core::Opening &opening,
                   const core::AheadOfTimeImages &ahead_of_time) {
  for (const core::Making &making : ahead_of_time.makings()) {
    const auto key = core::opening_key(opening, making);
    if (const auto stored = key ? ahead_of_time.find(*key) : std::nullopt)
      if (auto module = read(*stored, modules))
        return std::move(*module);
  }
  return std::nullopt;
}

} // namespace

Result<core::HandlerModule> open_embedded(std::span<const sartor_module> modules,
                                          const Means &means) {
  const core::Stores &stores = means.stores;
  const auto opening =
      stores.ahead_of_time || stores.disk ? core::opening_of(modules) : std::nullopt;
  if (stores.ahead_of_time) {
    if (auto module =
            opening ? find_ahead_of_time(modules, *opening, *stores.ahead_of_time) : std::nullopt)
      return std::move(*module);
    means.report("ahead_of_time_unusable",
                 {ErrorCode::file_error, modules.front().source,
                  "the program carries images, of another build of Sartor or of its handlers, or "
                  "for processors that can do more than this one",
                  "make them again, with this build of Sartor and --cpu for this processor"});
  }
  const auto key =
      opening && stores.disk ? core::opening_key(*opening, core::made_here()) : std::nullopt;
  if (key)
    if (const auto stored = stores.disk->find(*key))
      if (auto module = read(*stored, modules))
        return module;
  auto found =
      choose_compiler(means.where, modules.empty() ? "this program" : modules.front().source);
  if (!found)
    return std::unexpected(std::move(found.error()));
  auto module = (*found)->load_embedded(modules);
  // If handlers were left out, the module is not stored, so that the next run tries again.
  const auto toolchain = (*found)->toolchain();
  if (key && module && module->left_out.empty() && toolchain &&
      core::has_llvm_of_here(toolchain->build))
    stores.disk->insert(*key,
                        {"(handlers and points)", "", module->source, "opening", toolchain->cpu,
                         toolchain->llvm, toolchain->sartor, std::time(nullptr)},
                        core::pack_module(*module));
  return module;
}

Result<core::HandlerModule> open_file(const std::string &path,
                                      std::span<const sartor_module> symbols, const Means &means) {
  const auto content = base::read_regular_file(path);
  if (!content)
    return std::unexpected(Failure{ErrorCode::file_error, path, content.error(),
                                   "name a readable bitcode or .ll file"});
  auto found = choose_compiler(means.where, path);
  if (!found)
    return std::unexpected(std::move(found.error()));
  auto module = (*found)->load_file(path, *content);
  if (module) {
    module->resolve(symbols);
    module->source = path;
  }
  return module;
}

} // namespace sartor::runtime
