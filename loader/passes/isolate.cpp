// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// isolate: puts libraries into domains, whose data only they can reach. This pass decides what is
// known ahead of time; an agent, a library with which the program starts, creates the domains
// (loader/agents/isolate/).
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <cpuid.h>
#include <dlfcn.h>

#include <sartor/loader/pass.h>

#include "agents/isolate/limits.h"
#include "isolate/library.h"
#include "isolate/refusal.h"

namespace {

using namespace sartor::isolate;

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
