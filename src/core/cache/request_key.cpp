// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/request_key.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include <link.h>

#include "base/build_stamp.h"
#include "base/loaded_object.h"
#include "core/cache/build_id.h"
#include "core/image/processor.h"

namespace sartor::core {

namespace {

// Increment these when Sartor makes other code for the same request, or the format of images
// changes.
constexpr std::string_view kImage = "image 2";
constexpr std::string_view kEntry = "entry 2";
constexpr std::string_view kStub = "stub 1";
constexpr std::string_view kOpening = "opening 1";

// LLVM is not loaded for this. Nothing if its library is at neither path.
std::optional<std::string> build_of_llvm() {
  const std::filesystem::path at_build(SARTOR_LLVM_LIBRARY);
  if (const link_map *here = base::loaded_object(reinterpret_cast<const void *>(&build_of_llvm)))
    if (auto id = build_id_in_file(std::filesystem::path(here->l_name).parent_path() /
                                   at_build.filename()))
      return id;
  return build_id_in_file(at_build);
}

bool is_of_this_process(const HandlerModule &module, const core::Context &context) {
  const auto depends = [](const auto &each) { return !each.second.invariants.empty(); };
  return is_of_objects(module, context) || context.profile || !context.custom_kinds.empty() ||
         std::ranges::any_of(context.answers, depends) ||
         std::ranges::any_of(context.generated, depends);
}

bool is_address(const core::Signature &signature, unsigned index, const BoundArgument &argument) {
  if (index >= signature.parameters.size() || argument.is_object())
    return false;
  return signature.parameters[index].type.kind == PointType::Class::pointer &&
         argument.value().is_integer() && argument.value().bits() != 0;
}

} // namespace

std::set<unsigned> address_arguments(const HandlerModule &module, const core::Context &context) {
  std::set<unsigned> found;
  const HandlerModule::Handler *handler = module.find(context.handler).value_or(nullptr);
  if (handler && handler->signature)
    for (const auto &[index, argument] : context.arguments)
      if (is_address(*handler->signature, index, argument))
        found.insert(index);
  return found;
}

bool is_of_objects(const HandlerModule &module, const core::Context &context) {
  return context.memory || !address_arguments(module, context).empty();
}

const Making &made_here() {
  static const auto &making = *new Making([] { // used by compiles at exit
    Making here{core::this_processor(), {}};
    // The mathematics library computes calls with known arguments.
    // Without LLVM's library, only its version is known.
    if (const auto mathematics =
            build_id_at(reinterpret_cast<const void *>(static_cast<double (*)(double)>(&std::sin))))
      here.builds = std::string(base::kBuildStamp) + " " + *mathematics + " " +
                    build_of_llvm().value_or(SARTOR_LLVM_LIBRARY);
    return here;
  }());
  return making;
}

bool has_llvm_of_here(const std::string &builds) {
  static const auto &known = *new std::optional<std::string>(build_of_llvm()); // the same
  return !known || builds.contains(*known);
}

std::string identity_of(std::span<const std::string_view> bitcodes) {
  std::string hashes;
  for (const std::string_view bitcode : bitcodes)
    hashes += base::to_text(base::hash_of({bitcode}));
  return base::to_text(base::hash_of({hashes})).substr(0, 32);
}

std::optional<base::ContentKey> request_key(const HandlerModule &module,
                                            const core::Context &context, const Pipeline &pipeline,
                                            const Making &making) {
  if (is_of_this_process(module, context) || !pipeline.plugins.empty() || making.builds.empty())
    return std::nullopt;
  return base::hash_of({kImage, making.builds, making.processor, module.identity, module.replaced,
                        context.handler, core::text(context), pipeline.passes});
}

std::optional<base::ContentKey> entry_key(const HandlerModule &module, const std::string &handler,
                                          bool inlined, const Making &making) {
  if (making.builds.empty())
    return std::nullopt;
  return base::hash_of({kEntry, making.builds, making.processor, module.identity, module.replaced,
                        handler, inlined ? "inlined" : "called"});
}

std::optional<base::ContentKey> stub_key(const HandlerModule &module, const std::string &handler,
                                         const Making &making) {
  if (making.builds.empty())
    return std::nullopt;
  return base::hash_of(
      {kStub, making.builds, making.processor, module.identity, module.replaced, handler});
}

std::optional<Opening> opening_of(std::span<const sartor_module> modules) {
  std::vector<std::string_view> bitcodes;
  for (const sartor_module &module : modules) {
    bitcodes.emplace_back(reinterpret_cast<const char *>(module.bitcode), module.bitcode_size);
    if (module.version != SARTOR_MODULE_VERSION)
      return std::nullopt;
  }
  Opening opening{identity_of(bitcodes), core::replaced_in(modules)};
  std::ranges::sort(bitcodes);
  // Only addresses could distinguish two modules with equal bitcode.
  if (std::ranges::adjacent_find(bitcodes) != bitcodes.end())
    return std::nullopt;
  return opening;
}

std::optional<base::ContentKey> opening_key(const Opening &opening, const Making &making) {
  if (making.builds.empty())
    return std::nullopt;
  return base::hash_of(
      {kOpening, making.builds, making.processor, opening.identity, opening.replaced});
}

} // namespace sartor::core
