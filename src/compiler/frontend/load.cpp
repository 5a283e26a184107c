// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/load.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/frontend/context.h"
#include "compiler/frontend/exact_floats.h"
#include "compiler/frontend/find.h"
#include "compiler/frontend/kept_constants.h"
#include "compiler/frontend/link_parts.h"
#include "compiler/frontend/native_only.h"
#include "compiler/frontend/parameters.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/read_module.h"
#include "compiler/frontend/section.h"
#include "compiler/frontend/simplify.h"
#include "core/cache/request_key.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

std::string identity_of(std::span<const Part> parts) {
  std::vector<std::string_view> bitcodes;
  for (const Part &part : parts)
    bitcodes.push_back(part.bytes);
  return core::identity_of(bitcodes);
}

// Removes names shared by several static handlers of different files: such a name identifies none
// of them.
void distinguish_handlers(Module &module) {
  std::map<std::string, std::vector<Function *>> by_name;
  for (Function &function : module)
    if (is_handler(function))
      by_name[handler_name(function)].push_back(&function);
  for (const auto &[name, functions] : by_name)
    if (functions.size() > 1)
      for (Function *function : functions)
        name_handler(*function, function->getName());
}

Result<core::HandlerModule> finish(Module &module, bool native_known) {
  distinguish_handlers(module);
  auto space = find_points(module);
  if (!space)
    return std::unexpected(std::move(space.error()));
  core::HandlerModule result;
  result.space = std::move(*space);
  std::set<std::string> loose;
  References references;
  for (Function &function : module)
    if (is_handler(function) && has_loose_floats(function, references))
      loose.insert(handler_name(function));
  prepare(module, native_known);
  for (const Function &function : module)
    if (is_handler(function)) {
      std::string name = handler_name(function);
      const bool has_loose_floats = loose.contains(name);
      result.handlers.push_back({std::move(name), native_name(function), signature_of(function),
                                 native_only_reason(function), has_loose_floats});
    }
  for (const GlobalValue &named : module.global_values())
    if (named.hasExternalWeakLinkage())
      result.may_be_missing.push_back(named.getName().str());
  std::ranges::sort(result.may_be_missing);
  raw_string_ostream stream(result.bitcode);
  WriteBitcodeToFile(module, stream);
  return result;
}

} // namespace

Result<core::HandlerModule> load_embedded(std::span<const sartor_module> modules) {
  if (modules.empty())
    return std::unexpected(Failure{
        ErrorCode::no_handler_module, "this program", "has no handler module embedded",
        "give its handler files to sartor_add_handler() in CMake, or compile them by sartor-cc; "
        "from a static library, the linker takes only files that something refers to"});
  std::vector<Part> parts;
  std::vector<Failure> left_out;
  for (const sartor_module &module : modules)
    if (module.version == SARTOR_MODULE_VERSION)
      parts.push_back(
          {StringRef(reinterpret_cast<const char *>(module.bitcode), module.bitcode_size),
           module.source, std::span(module.symbols, module.symbol_count)});
    else
      left_out.push_back({ErrorCode::bad_bitcode, module.source,
                          "was embedded by another version of Sartor", "build the program again"});
  if (parts.empty())
    return std::unexpected(std::move(left_out.front()));
  Context context;
  auto linked = link_parts(parts, context);
  if (!linked)
    return std::unexpected(std::move(linked.error()));
  auto result = finish(*linked->module, /*native_known=*/true);
  if (!result)
    return result;
  result->identity = identity_of(parts);
  result->left_out = std::move(left_out);
  std::ranges::move(linked->left_out, std::back_inserter(result->left_out));
  result->replaced = core::replaced_in(modules);
  result->resolve(modules);
  return result;
}

Result<core::HandlerModule> load_file(const std::string &name, const std::string &content) {
  Context context;
  auto module = read_module(content, name, context);
  if (!module)
    return std::unexpected(std::move(module.error()));
  if (auto adopted = adopt_file_module(**module); !adopted)
    return std::unexpected(std::move(adopted.error()));
  simplify(**module); // as in the plugin
  auto kept = keep_constants(**module);
  auto result = finish(**module, /*native_known=*/false);
  if (!result)
    return result;
  result->identity = identity_of(std::array{Part{content, name}});
  result->constants = std::move(kept);
  result->source = name;
  return result;
}

Result<core::HandlerModule> load_kernel_object(const std::string &name, const std::string &object) {
  const auto bitcode = kernel_bitcode(name, object);
  if (!bitcode)
    return std::unexpected(bitcode.error());
  Context context;
  auto module = read_module(*bitcode, name, context);
  if (!module)
    return std::unexpected(std::move(module.error()));
  auto result = finish(**module, /*native_known=*/false);
  if (result) {
    result->source = name;
    result->identity = identity_of(std::array{Part{*bitcode, name}});
  }
  return result;
}

Result<core::HandlerModule> load_program(const std::string &path) {
  auto embedded = embedded_bitcode(path);
  if (!embedded)
    return std::unexpected(std::move(embedded.error()));
  std::vector<Part> parts;
  for (const std::string &bytes : *embedded)
    parts.push_back({bytes, path});
  Context context;
  auto linked = link_parts(parts, context);
  if (!linked)
    return std::unexpected(std::move(linked.error()));
  auto result = finish(*linked->module, /*native_known=*/true);
  if (result) {
    result->source = path;
    result->identity = identity_of(parts);
    result->left_out = std::move(linked->left_out);
  }
  return result;
}

} // namespace sartor::compiler
