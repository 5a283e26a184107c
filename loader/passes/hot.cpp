// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hot: copies the functions that a profile names to one place, in call order, so that the code that
// runs most needs few pages, whatever libraries it is from. Calls lead to the copies; addresses of
// functions stay the originals'.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/loader/pass.h>

#include "hot/functions.h"
#include "loader/lib/decode/function_code.h"
#include "loader/lib/file/hexadecimal.h"
#include "loader/lib/profile/profile.h"
#include "read_all.h"

namespace {

using namespace sartor;
using namespace sartor::hot;

/// The functions that each function calls, the most frequent calls first.
using Callees = std::map<Function, std::vector<Function>>;

/// Returns the functions by descending count.
std::vector<Function> by_count(const ProfiledFunctions &functions) {
  std::vector<Function> all;
  for (const auto &[function, count] : functions.counts())
    if (count > 0)
      all.push_back(function);
  std::ranges::sort(all, [&](const Function &one, const Function &other) {
    const auto count = functions.counts().at(one), count_of_other = functions.counts().at(other);
    return count != count_of_other ? count > count_of_other : one < other;
  });
  return all;
}

/// Adds calls that code shows, in the order of the code, after those of the profile.
void add_calls_in_code(const sartor_prelink_image *image,
                       const sartor_prelink_operations &operations,
                       const ProfiledFunctions &functions, const std::set<Function> &chosen,
                       Callees &callees) {
  const auto add = [&](const Function &caller, std::size_t library, std::uint64_t address) {
    if (library >= functions.libraries().size())
      return;
    const auto index = functions.libraries()[library].function_at(address);
    if (index && chosen.contains({library, *index}))
      callees[caller].push_back({library, *index});
  };
  for (const Function &function : chosen) {
    const auto &[address, size] = functions.at(function);
    std::vector<std::byte> code(size);
    if (operations.read(image, function.library, address, code.data(), size) != 0)
      continue;
    for (const loader::Displacement &branch : loader::branches_out_of(code))
      add(function, function.library,
          address + static_cast<std::uint64_t>(loader::target_of(code, branch)));
  }
  for (std::size_t i = 0; i < functions.libraries().size(); ++i) {
    const Library &library = functions.libraries()[i];
    for (const sartor_call_site &site :
         passes::read_all(image, i, library.about.call_sites, operations.call_site)) {
      const auto caller = library.function_at(site.address);
      if (caller && chosen.contains({i, *caller}))
        add({i, *caller}, site.target_library, site.target);
    }
  }
}

/// Returns the calls between chosen functions.
Callees callees_of(const sartor_prelink_image *image, const sartor_prelink_operations &operations,
                   const ProfiledFunctions &functions, const std::set<Function> &chosen) {
  std::vector<std::pair<std::uint64_t, std::pair<Function, Function>>> calls;
  for (const auto &[call, count] : functions.calls())
    if (chosen.contains(call.first) && chosen.contains(call.second))
      calls.emplace_back(count, call);
  std::ranges::sort(calls, std::ranges::greater());
  Callees callees;
  for (const auto &[count, call] : calls)
    callees[call.first].push_back(call.second);
  add_calls_in_code(image, operations, functions, chosen, callees);
  return callees;
}

/// Returns the functions with the greatest counts, up to a number of bytes, in call order: each
/// function is followed by those that it calls, the most frequent calls first.
std::vector<Function> in_call_order(const sartor_prelink_image *image,
                                    const sartor_prelink_operations &operations,
                                    const ProfiledFunctions &functions, std::uint64_t most_bytes) {
  std::vector<Function> hottest;
  std::uint64_t bytes = 0;
  for (const Function &function : by_count(functions)) {
    const std::uint64_t size = functions.at(function).size;
    if (size > most_bytes - bytes)
      continue;
    bytes += size;
    hottest.push_back(function);
  }
  const std::set<Function> chosen(hottest.begin(), hottest.end());
  const Callees callees = callees_of(image, operations, functions, chosen);
  std::vector<Function> order;
  std::set<Function> placed;
  for (const Function &root : hottest) {
    std::vector<Function> pending{root};
    while (!pending.empty()) {
      const Function function = pending.back();
      pending.pop_back();
      if (!placed.insert(function).second)
        continue;
      order.push_back(function);
      if (const auto next = callees.find(function); next != callees.end())
        pending.insert(pending.end(), next->second.rbegin(), next->second.rend());
    }
  }
  return order;
}

constexpr std::uint64_t usual_bytes = std::uint64_t{2} << 20; ///< A huge page.

class Pass {
public:
  Pass(sartor_prelink_image *image, const sartor_prelink_operations *operations)
      : image_(image), operations_(*operations) {}

  /// Returns an error, or nothing.
  std::string run();

private:
  /// The functions of a library that the profile names.
  struct Outcome {
    std::size_t copied = 0, bytes = 0, named = 0;
    std::map<std::string, std::size_t> left_out; ///< Numbers of functions, by reason.
  };

  std::string check_options();
  Result<loader::Profile> read_profile();
  void copy(const ProfiledFunctions &functions);
  void report(const ProfiledFunctions &functions);
  void report(const std::string &line) { operations_.report(image_, line.c_str()); }
  [[nodiscard]] std::string_view option(const char *name) const {
    const char *value = operations_.option(image_, name);
    return value != nullptr ? value : std::string_view();
  }

  sartor_prelink_image *image_;
  const sartor_prelink_operations &operations_;
  std::vector<std::string> files_;
  std::uint64_t most_bytes_ = usual_bytes;
  bool is_listed_ = false;
  std::map<std::size_t, Outcome> outcomes_; ///< By library.
};

std::string Pass::check_options() {
  for (std::string_view rest = option("profile"); !rest.empty();) {
    const auto end = std::min(rest.find(':'), rest.size());
    if (rest.front() != '/')
      return "its option `profile` must be absolute paths, separated by colons";
    files_.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (files_.empty())
    return "its option `profile` must name a profile: `sartor ld profile` writes one";
  if (const std::string_view bytes = option("bytes"); !bytes.empty()) {
    const auto [end, error] =
        std::from_chars(bytes.data(), bytes.data() + bytes.size(), most_bytes_);
    if (error != std::errc{} || end != bytes.data() + bytes.size())
      return "its option `bytes` must be a number";
  }
  is_listed_ = option("list") == "true";
  return {};
}

Result<loader::Profile> Pass::read_profile() {
  loader::Profile all;
  for (const std::string &file : files_) {
    operations_.depend_on(image_, file.c_str());
    const auto profile = loader::Profile::read(file);
    if (!profile)
      return std::unexpected(profile.error());
    all.add(*profile);
  }
  return all;
}

std::string Pass::run() {
  if (std::string error = check_options(); !error.empty())
    return error;
  const auto profile = read_profile();
  if (!profile)
    return profile.error().subject + " " + profile.error().message + "; " + profile.error().remedy;
  const ProfiledFunctions functions(image_, operations_, *profile);
  copy(functions);
  report(functions);
  return {};
}

void Pass::copy(const ProfiledFunctions &functions) {
  for (const auto &[library, count] : functions.elsewhere())
    outcomes_[library].left_out["without unwind information"] += count;
  for (const auto &[function, count] : functions.counts())
    ++outcomes_[function.library].named;
  std::map<std::size_t, std::size_t> tried;
  for (const Function &function : in_call_order(image_, operations_, functions, most_bytes_)) {
    const auto &[address, size] = functions.at(function);
    Outcome &outcome = outcomes_[function.library];
    ++tried[function.library];
    const char *why = operations_.copy(image_, function.library, address);
    if (why != nullptr) {
      ++outcome.left_out[why];
    } else {
      ++outcome.copied;
      outcome.bytes += size;
    }
    if (is_listed_)
      report(std::string(functions.libraries()[function.library].about.path) + ": " +
             loader::hexadecimal(address) + " " + std::to_string(size) + " bytes" +
             (why != nullptr ? std::string(", left out: ") + why : std::string()));
  }
  for (auto &[library, outcome] : outcomes_)
    if (const std::size_t rest = outcome.named - tried[library]; rest > 0)
      outcome.left_out["beyond the limit of bytes"] += rest;
}

void Pass::report(const ProfiledFunctions &functions) {
  std::size_t copied = 0, bytes = 0;
  for (const auto &[library, outcome] : outcomes_) {
    std::string line = std::string(functions.libraries()[library].about.path) + ": " +
                       std::to_string(outcome.copied) + " of " + std::to_string(outcome.named) +
                       " hot functions, " + std::to_string(outcome.bytes) + " bytes";
    for (const auto &[why, count] : outcome.left_out)
      line += ", " + std::to_string(count) + " " + why;
    report(line);
    copied += outcome.copied;
    bytes += outcome.bytes;
  }
  for (const std::size_t library : functions.other_versions())
    report(std::string(functions.libraries()[library].about.path) +
           ": the profile is of another version of it");
  report(std::to_string(copied) + " functions copied, " + std::to_string(bytes) + " bytes");
}

const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  static std::string error; // must stay valid until the pass is unloaded
  error = Pass(image, operations).run();
  return error.empty() ? nullptr : error.c_str();
}

// Copies lie next to packed libraries, and are made of code that nothing changes any more.
const char *const after[] = {"verify", "prune", "isolate", "handlers", "bind", "concat", nullptr};

} // namespace

extern "C" const sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI,
                                            .name = "hot",
                                            .needs = nullptr,
                                            .conflicts = nullptr,
                                            .after = after,
                                            .before = nullptr,
                                            .run = run,
                                            .judges = 0};
