// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/pass/pass_order.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "loader/lib/settings/pass_name.h"

namespace sartor::loader {

namespace {

/// Sorts passes. Throws a Failure.
class PassOrder {
public:
  explicit PassOrder(std::span<const sartor_pass *const> passes)
      : passes_(passes), earlier_(passes.size()) {
    for (std::size_t i = 0; i < passes.size(); ++i)
      if (find(passes[i]->name) != i)
        fail(i, "is enabled twice", "enable it once");
    for (std::size_t i = 0; i < passes.size(); ++i)
      read(i);
  }

  /// Repeatedly takes the first pass that waits for no other.
  std::vector<const sartor_pass *> order() {
    std::vector<const sartor_pass *> order;
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < passes_.size(); ++i)
      waiting.push_back(i);
    while (!waiting.empty()) {
      const auto next =
          std::ranges::find_if(waiting, [&](std::size_t i) { return earlier_[i].empty(); });
      if (next == waiting.end())
        fail_at_circle(waiting.front());
      for (std::set<std::size_t> &each : earlier_)
        each.erase(*next);
      order.push_back(passes_[*next]);
      waiting.erase(next);
    }
    return order;
  }

private:
  [[noreturn]] void fail(std::size_t pass, std::string message, std::string remedy) const {
    throw Failure{ErrorCode::bad_pass, passes_[pass]->name, std::move(message), std::move(remedy)};
  }

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    const auto found = std::ranges::find(
        passes_, name, [](const sartor_pass *pass) { return std::string_view(pass->name); });
    if (found == passes_.end())
      return std::nullopt;
    return static_cast<std::size_t>(found - passes_.begin());
  }

  void read(std::size_t pass) {
    const sartor_pass &self = *passes_[pass];
    for (const std::string_view name : names_of(self.needs)) {
      const auto needed = find(name);
      if (!needed)
        fail(pass, "needs the pass " + std::string(name) + ", which is not enabled",
             "enable " + std::string(name) + " as well, or leave " + self.name + " out");
      earlier_[pass].insert(*needed);
    }
    for (const std::string_view name : names_of(self.conflicts))
      if (find(name))
        fail(pass, "is in conflict with the pass " + std::string(name),
             "leave " + std::string(self.name) + " or " + std::string(name) + " out");
    for (const std::string_view name : names_of(self.after))
      if (const auto other = find(name))
        earlier_[pass].insert(*other);
    for (const std::string_view name : names_of(self.before))
      if (const auto other = find(name))
        earlier_[*other].insert(pass);
  }

  /// Follows the passes that wait for one another until one repeats.
  [[noreturn]] void fail_at_circle(std::size_t pass) const {
    std::vector<std::size_t> way;
    auto again = way.end();
    for (; again == way.end(); again = std::ranges::find(way, pass)) {
      way.push_back(pass);
      pass = *earlier_[pass].begin();
    }
    way.erase(way.begin(), again);
    std::ranges::reverse(way); // now each runs before the next
    std::ranges::rotate(way, std::ranges::min_element(way));
    std::string circle;
    for (const std::size_t each : way)
      circle += std::string(passes_[each]->name) + " -> ";
    fail(way.front(), "must run before itself: " + circle + passes_[way.front()]->name,
         "leave one of these passes out");
  }

  std::span<const sartor_pass *const> passes_;
  std::vector<std::set<std::size_t>> earlier_; ///< Passes that must run before, and have not yet.
};

} // namespace

Result<std::vector<const sartor_pass *>> ordered(std::span<const sartor_pass *const> passes) {
  try {
    return PassOrder(passes).order();
  } catch (Failure &failure) {
    return std::unexpected(std::move(failure));
  }
}

} // namespace sartor::loader
