// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/order.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "loader/lib/decode/function_code.h"
#include "read_all.h"

namespace sartor::hot {

namespace {

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

} // namespace

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

} // namespace sartor::hot
