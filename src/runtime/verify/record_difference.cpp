// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/record_difference.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <link.h>

#include "base/build_stamp.h"
#include "base/loaded_object.h"

namespace sartor::runtime {

namespace {

namespace fs = std::filesystem;

/// The path of the program or library that contains an address.
std::string program_of(const void *address) {
  const link_map *map = base::loaded_object(address);
  std::error_code error;
  if (map && map->l_name && *map->l_name) // the program itself has no name
    return fs::absolute(map->l_name, error).string();
  return fs::read_symlink("/proc/self/exe", error).string();
}

/// The process's executable memory.
class ExecutableMemory {
public:
  ExecutableMemory() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      char *rest = nullptr; // begin-end rwxp ...
      const std::uintptr_t begin = std::strtoull(line.c_str(), &rest, 16);
      if (*rest != '-')
        continue;
      const std::uintptr_t end = std::strtoull(rest + 1, &rest, 16);
      if (std::string_view(rest).substr(0, 4).ends_with('x'))
        ranges_.emplace_back(begin, end);
    }
  }
  [[nodiscard]] bool has(std::uintptr_t address) const {
    return std::ranges::any_of(ranges_, [&](const auto &range) {
      return range.first <= address && address < range.second;
    });
  }

private:
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges_;
};

/// The addresses of variables and constants. Functions cannot be called in another process.
std::map<std::string, std::uint64_t> addresses_of(const core::HandlerModule &module) {
  const ExecutableMemory executable;
  std::map<std::string, std::uint64_t> addresses;
  for (const auto &[name, address] : module.symbols)
    if (const auto number = reinterpret_cast<std::uintptr_t>(address);
        number != 0 && !executable.has(number))
      addresses.emplace(name, number);
  return addresses;
}

} // namespace

Result<fs::path> record_difference(const CapturedCall &captured, const core::HandlerModule &module,
                                   const fs::path &state) try {
  if (!captured.difference)
    return std::unexpected(captured.difference.error());
  core::Difference difference = *captured.difference;
  if (state.empty())
    return std::unexpected(Failure{ErrorCode::file_error, difference.variant,
                                   "has a difference, and there is no directory for it",
                                   "set a directory (Options::state_directory)"});
  if (!captured.request)
    return std::unexpected(Failure{ErrorCode::unreadable_memory, difference.variant,
                                   "was made from a template, whose request is not kept",
                                   "compare calls of the optimized variant"});
  auto request = captured.request->serialized(module);
  if (!request)
    return std::unexpected(std::move(request.error()));
  const auto handler = module.find(difference.handler);
  if (!handler)
    return std::unexpected(handler.error());
  difference.request = std::move(*request);
  difference.program = program_of(
      reinterpret_cast<const void *>(module.address_of((*handler)->native_name).value_or(0)));
  difference.time = std::time(nullptr);
  difference.sartor = base::kBuildStamp;
  difference.llvm = captured.request->llvm;
  difference.mutant = captured.request->mutant;
  difference.addresses = addresses_of(module);
  return core::write_difference(state / kDifferencesFolder, difference);
} catch (const std::bad_alloc &) {
  return std::unexpected(out_of_memory(captured.difference->variant));
}

} // namespace sartor::runtime
