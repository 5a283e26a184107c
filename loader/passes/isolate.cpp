// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// isolate: puts libraries into domains, whose data only they can reach. This pass decides what is
// known ahead of time; an agent, a library with which the program starts, creates the domains
// (loader/agents/isolate/).
#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include <cpuid.h>
#include <dlfcn.h>
#include <elf.h>

#include <sartor/loader/pass.h>

#include "agents/isolate/limits.h"
#include "isolate/library.h"

namespace {

using namespace sartor::isolate;

/// The libraries of an image in symbol search order, and the domain of each: an index, or
/// `outside`.
struct Assignment {
  static constexpr std::size_t outside = ~std::size_t{0};

  std::vector<Library> libraries;
  std::vector<std::size_t> domains;
};

using Symbols = std::unordered_map<std::string_view, const sartor_library_symbol *>;

/// True for libraries that are called from everywhere, also by the stock loader.
bool is_everybodys(const Library &library) {
  constexpr std::array<std::string_view, 5> names = {"libc.so.6", "ld-linux-x86-64.so.2",
                                                     "libpthread.so.0", "libdl.so.2", "isolate.so"};
  return std::ranges::any_of(names, [&](auto name) { return library.is_called(name); });
}

/// True for functions of exception handling. Exceptions unwind the frames of all calls, and
/// unwinding ends at a gate. (Jumps over frames are permitted: the agent handles them.)
bool is_of_exceptions(std::string_view name) {
  constexpr std::array<std::string_view, 6> names = {"__cxa_throw",
                                                     "__cxa_rethrow",
                                                     "_Unwind_RaiseException",
                                                     "_Unwind_Resume",
                                                     "_Unwind_Resume_or_Rethrow",
                                                     "_Unwind_ForcedUnwind"};
  return std::ranges::find(names, name) != names.end();
}

/// Returns the exported variables of a library.
Symbols variables_of(const Library &library) {
  Symbols variables;
  for (const sartor_library_symbol &symbol : library.symbols())
    if (symbol.is_defined != 0 && symbol.binding != STB_LOCAL && symbol.type != STT_TLS &&
        library.is_data(symbol.address))
      variables.emplace(symbol.name, &symbol);
  return variables;
}

bool defines(const Library &library, std::string_view name) {
  return std::ranges::any_of(library.symbols(), [&](const sartor_library_symbol &symbol) {
    return symbol.is_defined != 0 && symbol.binding != STB_LOCAL && symbol.name == name;
  });
}

/// True if a name is bound to this library's definition: no earlier library in search order defines
/// it.
bool is_first(const Assignment &all, std::size_t library, std::string_view name) {
  return std::none_of(all.libraries.begin(),
                      all.libraries.begin() + static_cast<std::ptrdiff_t>(library),
                      [&](const Library &before) { return defines(before, name); });
}

/// Describes a relocation by which a library outside of the domain refers to a variable, for
/// messages.
std::string reached_variable(const Assignment &all, std::size_t library) {
  const Symbols variables = variables_of(all.libraries[library]);
  if (variables.empty())
    return {};
  for (std::size_t i = 0; i < all.libraries.size(); ++i) {
    if (all.domains[i] == all.domains[library])
      continue;
    const Library &other = all.libraries[i];
    for (const sartor_relocation &relocation : other.relocations()) {
      const bool is_copy = relocation.type == R_X86_64_COPY;
      if (relocation.symbol == 0 || relocation.symbol >= other.symbols().size() ||
          (!is_copy && relocation.type != R_X86_64_GLOB_DAT && relocation.type != R_X86_64_64))
        continue;
      const std::string_view name = other.symbols()[relocation.symbol].name;
      if (variables.contains(name) && (is_copy || is_first(all, library, name)))
        return std::string(other.about().path) + " uses its variable `" + std::string(name) +
               "`, put both into the domain, or neither";
    }
  }
  return {};
}

/// Returns the reason why a library cannot be in its domain: its own behavior or that of other
/// libraries. Empty if it can.
std::string why_not(const Assignment &all, std::size_t index) {
  const Library &library = all.libraries[index];
  if (library.about().is_program != 0)
    return "it is the program";
  if (is_everybodys(library))
    return "nothing runs without it";
  if (library.has_writable_code())
    return "it has memory that is writable and executable, link it without -N";
  if (library.is_read_by_loader())
    return "the stock loader reads its data, link it with -z relro";
  for (const sartor_library_symbol &symbol : library.symbols())
    if (is_of_exceptions(symbol.name))
      return std::string("it uses `") + symbol.name +
             "`, and no exception finds its way out of a domain";
  return reached_variable(all, index);
}

/// True if the CPU has protection keys and the kernel uses them.
bool has_keys() {
  constexpr unsigned features = 7;
  constexpr unsigned in_use = 1U << 4; // OSPKE
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(features, 0, &a, &b, &c, &d) != 0 && (c & in_use) != 0;
}

/// Splits a text at spaces and commas.
std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" ,");
    if (begin == std::string_view::npos)
      return all;
    const std::size_t end = std::min(text.find_first_of(" ,", begin), text.size());
    all.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

bool is_name(std::string_view name) {
  return !name.empty() && name.find_first_of("=:; \"") == std::string_view::npos;
}

/// Returns the agent's path, relative to the passes' directory, both installed and in the build
/// tree.
std::string agent() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void *>(&agent), &self) == 0)
    return {};
  std::error_code error;
  const auto pass = std::filesystem::canonical(self.dli_fname, error);
  return pass.parent_path().parent_path() / "agents" / "isolate.so";
}

class Pass {
public:
  Pass(sartor_prelink_image *image, const sartor_prelink_operations *operations)
      : image_(image), operations_(*operations) {}

  /// Runs the pass; returns the reason if it fails, else an empty text.
  std::string run();

private:
  std::string assign(const std::string &domain, std::string_view libraries);
  std::string check() const;
  std::string prepare();
  [[nodiscard]] std::string description() const;
  void keep_calls();
  void report_domain(std::size_t domain);
  void report(const std::string &line) { operations_.report(image_, line.c_str()); }
  [[nodiscard]] std::string quoted(std::size_t domain) const {
    return "domain \"" + names_[domain] + "\": ";
  }

  sartor_prelink_image *image_;
  const sartor_prelink_operations &operations_;
  Assignment all_;
  std::vector<std::string> names_; ///< Names of the domains.
};

std::string Pass::run() {
  for (std::size_t i = 0; i < operations_.libraries(image_); ++i)
    all_.libraries.emplace_back(image_, operations_, i);
  all_.domains.assign(all_.libraries.size(), Assignment::outside);
  std::size_t option = 0;
  while (const char *name = operations_.option_name(image_, option)) {
    if (std::string error = assign(name, operations_.option(image_, name)); !error.empty())
      return error;
    ++option;
  }
  if (option == 0)
    return "it has no domain: say under [pass.isolate] which libraries are in which, such as "
           "crypto = \"libcrypto.so.3\"";
  if (names_.empty())
    return {};
  std::string error = check();
  return error.empty() ? prepare() : error;
}

/// Assigns libraries to a domain. A configuration may apply to many programs, so libraries that
/// this program does not start with are skipped.
std::string Pass::assign(const std::string &domain, std::string_view libraries) {
  if (!is_name(domain))
    return "its option `" + domain + "` cannot be the name of a domain";
  std::size_t count = 0;
  for (const std::string_view name : words(libraries)) {
    const auto found = std::ranges::find_if(
        all_.libraries, [&](const Library &library) { return library.is_called(name); });
    if (found == all_.libraries.end()) {
      report("domain \"" + domain + "\": " + std::string(name) +
             " is not isolated: the program does not start with it");
      continue;
    }
    std::size_t &assigned = all_.domains[static_cast<std::size_t>(found - all_.libraries.begin())];
    if (assigned != Assignment::outside)
      return std::string(name) + " is named twice";
    assigned = names_.size();
    ++count;
  }
  if (count > most_libraries)
    return "domain \"" + domain + "\" has more than " + std::to_string(most_libraries) +
           " libraries";
  if (count > 0)
    names_.push_back(domain);
  return names_.size() <= most_domains
             ? std::string()
             : "there are more than " + std::to_string(most_domains) + " domains";
}

std::string Pass::check() const {
  std::size_t functions = 0;
  for (std::size_t i = 0; i < all_.libraries.size(); ++i) {
    if (all_.domains[i] == Assignment::outside)
      continue;
    const Library &library = all_.libraries[i];
    const std::string_view path = library.about().path;
    if (std::string why = why_not(all_, i); !why.empty())
      return quoted(all_.domains[i]) + std::string(path) + " cannot be isolated: " + why;
    if (path.find_first_of(":;") != std::string_view::npos)
      return quoted(all_.domains[i]) + "the path " + std::string(path) + " has a colon in it";
    functions += library.symbols().size();
  }
  // Spare gates are for functions that the libraries hand out without exporting them.
  constexpr std::size_t spare = 256;
  return functions <= most_gates - spare
             ? std::string()
             : "its domains have too many functions, have fewer in them";
}

std::string Pass::prepare() {
  for (std::size_t i = 0; i < all_.libraries.size(); ++i)
    if (all_.domains[i] != Assignment::outside &&
        operations_.set_domain(image_, i, names_[all_.domains[i]].c_str()) != 0)
      return "it must run before libraries are packed";
  keep_calls();
  const std::string path = agent();
  if (operations_.preload(image_, path.c_str()) != 0)
    return "its agent is not at " + path + ", or its path has spaces or colons in it";
  operations_.set_environment(image_, "SARTOR_DOMAINS", description().c_str());
  for (std::size_t i = 0; i < names_.size(); ++i)
    report_domain(i);
  return {};
}

/// Describes the domains in the agent's format.
std::string Pass::description() const {
  std::string text;
  for (std::size_t domain = 0; domain < names_.size(); ++domain) {
    text += (domain == 0 ? "" : ";") + names_[domain];
    char separator = '=';
    for (std::size_t i = 0; i < all_.libraries.size(); ++i) {
      if (all_.domains[i] != domain)
        continue;
      text += separator + std::string(all_.libraries[i].about().path);
      separator = ':';
    }
  }
  return text;
}

/// Keeps slots of calls into domains, which the agent redirects to gates.
void Pass::keep_calls() {
  for (std::size_t i = 0; i < all_.libraries.size(); ++i)
    for (const sartor_call_site &site : all_.libraries[i].call_sites()) {
      const std::size_t target = site.target_library;
      if (target < all_.domains.size() && all_.domains[target] != Assignment::outside &&
          all_.domains[target] != all_.domains[i])
        operations_.keep(image_, target, site.target);
    }
}

void Pass::report_domain(std::size_t domain) {
  // The kernel reserves one key of sixteen.
  constexpr std::size_t most_keys = 15;
  for (std::size_t i = 0; i < all_.libraries.size(); ++i)
    if (all_.domains[i] == domain)
      report(quoted(domain) + all_.libraries[i].about().path + ", " +
             std::to_string(all_.libraries[i].data_size()) + " bytes of data");
  if (!has_keys())
    report(quoted(domain) +
           "no protection keys on this CPU: by mprotect(), for the whole process at once");
  else if (domain >= most_keys)
    report(quoted(domain) +
           "no protection key is left: by mprotect(), for the whole process at once");
  else
    report(quoted(domain) + "by a protection key, for each thread by itself");
}

const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  static std::string error; // must stay valid until the pass is unloaded
  error = Pass(image, operations).run();
  return error.empty() ? nullptr : error.c_str();
}

// References to a domain's functions must not be bound or settled, nor its data packed with other
// data.
const char *const before[] = {"bind", "concat", "settle", nullptr};

} // namespace

extern "C" const sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI,
                                            .name = "isolate",
                                            .needs = nullptr,
                                            .conflicts = nullptr,
                                            .after = nullptr,
                                            .before = before,
                                            .run = run,
                                            .judges = 0};
