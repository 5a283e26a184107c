// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// prune: makes functions inaccessible that nothing can reach, so that an attacker who takes over a
// program finds less code to use: entering a pruned function traps.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <elf.h>

#include <sartor/loader/pass.h>

#include "loader/lib/file/hexadecimal.h"
#include "prune/library.h"
#include "prune/reach.h"

namespace {

using namespace sartor;
using namespace sartor::prune;

using Names = std::unordered_set<std::string_view>;

bool may_be_in_name(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '$' || byte == '.';
}

/// Finds zero-terminated names. Linkers let a string be the end of another.
void find(std::string_view text, const Names &names, std::size_t longest, Names &found) {
  for (std::size_t end = text.find('\0'); end != std::string_view::npos;
       end = text.find('\0', end + 1))
    for (std::size_t size = 1; size <= std::min(longest, end) && may_be_in_name(text[end - size]);
         ++size)
      if (const auto name = names.find(text.substr(end - size, size)); name != names.end())
        found.insert(*name);
}

/// Returns the names exported by libraries that are referred to: by a relocation of any library, or
/// as text in memory, through which they may be looked up. The names live as long as the image.
Names names_in_use(const std::vector<Library> &libraries) {
  Names exported, used;
  std::size_t longest = 0;
  for (const Library &library : libraries)
    for (const sartor_library_symbol &symbol : library.symbols())
      if (symbol.is_defined != 0)
        longest = std::max(longest, exported.insert(symbol.name).first->size());
  for (const Library &library : libraries) {
    for (const sartor_relocation &relocation : library.relocations())
      if (relocation.symbol != 0 && relocation.symbol < library.symbols().size())
        used.insert(library.symbols()[relocation.symbol].name);
    const auto names = library.tag(DT_STRTAB); // contains all names, used or not
    for (const Segment &segment : library.segments()) {
      const std::string_view text(reinterpret_cast<const char *>(segment.bytes.data()),
                                  segment.bytes.size());
      if (names && segment.range.holds(*names)) {
        const std::size_t at = *names - segment.range.begin;
        find(text.substr(0, at), exported, longest, used);
        find(text.substr(std::min(text.size(), at + library.tag(DT_STRSZ).value_or(0))), exported,
             longest, used);
      } else {
        find(text, exported, longest, used);
      }
    }
  }
  return used;
}

constexpr std::byte trap{0xcc}; // int3

/// True for libraries that the loader enters in special ways.
bool is_of_loader(std::string_view name) {
  constexpr std::array<std::string_view, 5> names = {"libc.so.6", "ld-linux-x86-64.so.2",
                                                     "libpthread.so.0", "libdl.so.2", "librt.so.1"};
  return std::ranges::find(names, name) != names.end();
}

/// Returns the names by which a library exports an address.
std::string names_of(const Library &library, std::uint64_t address) {
  std::string names;
  for (const sartor_library_symbol &symbol : library.symbols())
    if (symbol.is_defined != 0 && symbol.address == address)
      names += std::string(" ") + symbol.name;
  return names;
}

class Pass {
public:
  Pass(sartor_prelink_image *image, const sartor_prelink_operations *operations)
      : image_(image), operations_(*operations) {}

  const char *run();

private:
  const char *prune(std::size_t index, const Outside &outside);
  void report(const std::string &line) { operations_.report(image_, line.c_str()); }
  [[nodiscard]] std::string_view option(const char *name, std::string_view otherwise) const {
    const char *value = operations_.option(image_, name);
    return value != nullptr ? value : otherwise;
  }

  sartor_prelink_image *image_;
  const sartor_prelink_operations &operations_;
  std::vector<Library> libraries_;
  bool is_listed_ = false;
};

const char *Pass::run() {
  const std::string_view exports = option("exports", "keep");
  if (exports != "keep" && exports != "used")
    return "its option `exports` must be \"keep\" or \"used\"";
  is_listed_ = option("list", "false") == "true";
  for (std::size_t i = 0; i < operations_.libraries(image_); ++i) {
    auto library = Library::read(image_, operations_, i);
    if (!library)
      return "a library cannot be looked at";
    libraries_.push_back(std::move(*library));
  }
  std::vector<Outside> outside(libraries_.size());
  for (const Library &library : libraries_)
    for (const sartor_call_site &site : library.call_sites())
      if (site.target_library < outside.size())
        outside[site.target_library].targets.push_back(site.target);
  const auto used =
      exports == "used" ? names_in_use(libraries_) : std::unordered_set<std::string_view>();
  for (std::size_t i = 0; i < libraries_.size(); ++i) {
    outside[i].is_used = [&](std::string_view name) {
      return exports == "keep" || used.contains(name);
    };
    if (const char *error = prune(i, outside[i]))
      return error;
  }
  return nullptr;
}

const char *Pass::prune(std::size_t index, const Outside &outside) {
  const Library &library = libraries_[index];
  const std::string path = library.about().path;
  if (is_of_loader(library.about().name))
    return nullptr;
  const Unreached unreached = find_unreached(library, outside);
  if (!unreached.doubt.empty()) {
    report(path + ": left as it is: " + unreached.doubt);
    return nullptr;
  }
  std::size_t bytes = 0;
  for (const Range &function : unreached.functions) {
    const std::vector<std::byte> traps(function.end - function.begin, trap);
    if (operations_.write(image_, index, function.begin, traps.data(), traps.size()) != 0)
      return "code cannot be changed";
    bytes += traps.size();
  }
  report(path + ": " + std::to_string(unreached.functions.size()) + " of " +
         std::to_string(library.functions().size()) + " functions, " + std::to_string(bytes) +
         " bytes");
  if (is_listed_)
    for (const Range &function : unreached.functions)
      report(path + ": " + loader::hexadecimal(function.begin) + " " +
             std::to_string(function.end - function.begin) + " bytes" +
             names_of(library, function.begin));
  return nullptr;
}

const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  return Pass(image, operations).run();
}

// The changes of other passes may change the targets of code.
const char *const before[] = {"isolate", "handlers", nullptr};

} // namespace

extern "C" const sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI,
                                            .name = "prune",
                                            .needs = nullptr,
                                            .conflicts = nullptr,
                                            .after = nullptr,
                                            .before = before,
                                            .run = run,
                                            .judges = 0};
