// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/control/runtime_control.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <sodium.h>

#include "base/text/json.h"
#include "core/space/constraints_json.h"
#include "core/space/fit.h"
#include "core/space/handler_name.h"
#include "runtime/control/control.h"
#include "runtime/impl.h"

namespace sartor {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Configuration &configuration) {
  return Json::parse(configuration.json(), nullptr, /*allow_exceptions=*/false);
}

Json json_of(const runtime::HandlerComparisons &comparisons) {
  Json json = comparisons.how ? core::to_json(*comparisons.how)
                              : Json{{"how", "undecided"}, {"text", "not yet decided how"}};
  json["compared"] = comparisons.compared;
  json["differences"] = comparisons.differences;
  json["quarantined"] = comparisons.quarantined;
  return json;
}

/// A variant as operators see it, copied under the runtime's lock.
struct Row {
  std::string name;
  std::string handler;
  Configuration configuration;
  std::uintptr_t address = 0;
  std::size_t text_bytes = 0;
  std::size_t code_bytes = 0;
  std::size_t resident_bytes = 0;
  double compile_seconds = 0;
  bool quick = false;
  std::uint64_t compared = 0;
  bool differs = false;
  bool active = false;
  bool is_binding = false;

  explicit Row(const runtime::Variant &variant)
      : name(variant.name), handler(core::readable_handler_name(variant.handler)),
        configuration(variant.configuration),
        address(reinterpret_cast<std::uintptr_t>(variant.code->text().data())),
        text_bytes(variant.code->text().size()), code_bytes(variant.code->bytes()),
        resident_bytes(variant.code->resident_bytes()),
        compile_seconds(std::chrono::duration<double>(variant.compile_time).count()),
        quick(variant.quick), compared(variant.trust->compared), differs(variant.trust->differs) {}

  [[nodiscard]] Json json() const {
    return {{"name", name},
            {"handler", handler},
            {"configuration", json_of(configuration)},
            {"address", address},
            {"text_bytes", text_bytes},
            {"code_bytes", code_bytes},
            {"resident_bytes", resident_bytes},
            {"compile_seconds", compile_seconds},
            {"quick", quick},
            {"compared", compared},
            {"differs", differs},
            {"active", active},
            {"binding", is_binding}};
  }
};

/// The bindings of one handler.
struct Bound {
  std::size_t count = 0;
  std::size_t specialized = 0;
  std::size_t code_bytes = 0;
};

struct HandlerRow {
  std::string handler;
  bool off = false;
  bool held = false;
  std::optional<Row> active;
  Bound bindings;
  std::optional<runtime::HandlerComparisons> comparisons; ///< Empty if nothing is compared.

  [[nodiscard]] Json json() const {
    return {{"handler", handler},
            {"off", off},
            {"held", held},
            {"active", active ? active->json() : Json()},
            {"bindings",
             {{"count", bindings.count},
              {"specialized", bindings.specialized},
              {"code_bytes", bindings.code_bytes}}},
            {"comparison", comparisons ? json_of(*comparisons) : Json()}};
  }
};

Json json_of(const Statistics &counts) {
  return {{"compiles", counts.compiles},
          {"staged", counts.staged},
          {"filled", counts.filled},
          {"cache_hits", counts.cache_hits},
          {"ahead_of_time", counts.ahead_of_time},
          {"alike", counts.alike},
          {"disk_hits", counts.disk_hits},
          {"disk_misses", counts.disk_misses},
          {"shared_hits", counts.shared_hits},
          {"shared_misses", counts.shared_misses},
          {"failures", counts.failures},
          {"switches", counts.switches},
          {"replugs", counts.replugs},
          {"verified", counts.verified},
          {"differences", counts.differences},
          {"reclaimed", counts.reclaimed},
          {"waiting", counts.waiting},
          {"variants", counts.variants},
          {"code_bytes", counts.code_bytes},
          {"resident_bytes", counts.resident_bytes}};
}

unsigned next_id() {
  static std::atomic<unsigned> last = 0;
  return ++last;
}

std::vector<HandlerRow> handler_rows(Runtime::Impl &impl) {
  std::vector<HandlerRow> rows;
  const bool compares = impl.options.verify != Verification::off();
  const base::MutexLock lock(impl.mutex);
  auto comparisons = impl.verifier.comparisons();
  std::map<std::string, Bound> bound;
  for (const detail::BoundEntry *entry : impl.bindings.all()) {
    Bound &of = bound[entry->handler()];
    ++of.count;
    if (const auto &variant = entry->variant()) {
      ++of.specialized;
      of.code_bytes += variant->code->bytes();
    }
  }
  for (const auto &handler : impl.module->handlers) {
    HandlerRow row;
    row.handler = core::readable_handler_name(handler.name);
    row.off = impl.overrides.is_off(handler.name);
    if (const RuntimeEntry *entry = impl.entries.known(handler.name)) {
      row.held = entry->tank() != nullptr;
      if (entry->variant()) {
        row.active.emplace(*entry->variant());
        row.active->active = !row.off;
      }
    }
    row.bindings = bound[handler.name];
    if (compares)
      row.comparisons = std::move(comparisons[handler.name]);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Calls `visit(variant, is_active, is_binding)`; the active ones come first. A variant may come
/// several times.
template <class Visit>
void visit_variants(Runtime::Impl &impl, Visit visit) SARTOR_REQUIRES(impl.mutex) {
  for (const RuntimeEntry *entry : impl.entries.all())
    if (const auto &variant = entry->variant())
      visit(*variant, !entry->is_off(), false);
  for (const detail::BoundEntry *entry : impl.bindings.all())
    if (const auto &variant = entry->variant())
      visit(*variant, !entry->is_off(), true);
  impl.cache->for_each([&](const runtime::Variant &variant) { visit(variant, false, false); });
}

} // namespace

RuntimeControl::RuntimeControl(Runtime::Impl &impl) : impl_(impl), id_(next_id()) {
  Control::instance().add(*this);
}

RuntimeControl::~RuntimeControl() { Control::instance().remove(*this); }

Json RuntimeControl::status() {
  Json row{{"id", id_}, {"active", impl_.is_active()}, {"opening", impl_.is_opening()}};
  Json off = Json::array();
  for (const std::string &name : impl_.overrides.switched_off())
    off.push_back(name.empty() ? "*" : name);
  row["off"] = std::move(off);
  if (const auto pinned = impl_.overrides.pinned())
    row["pinned"] = json_of(*pinned);
  row["handlers"] = Json::array();
  if (impl_.is_active()) {
    row["source"] = impl_.module->source;
    for (const HandlerRow &handler : handler_rows(impl_))
      row["handlers"].push_back(handler.json());
  }
  const Statistics statistics = impl_.counted();
  row["statistics"] = json_of(statistics);
  row["guard_failures"] = Json(statistics.guard_failures);
  row["executions"] = Json::object(); // of instrumented points
  if (impl_.is_active() && !impl_.profiles->instrumented().empty())
    for (const Profile seen = impl_.profiles->current(); const auto &[label, point] : seen.points())
      row["executions"][label] = point.count;
  return row;
}

Json RuntimeControl::variants() {
  std::vector<Row> rows;
  std::map<std::string, Json> comparisons; // by handler, as in the rows
  if (impl_.is_active()) {
    std::set<const runtime::Variant *> seen;
    const base::MutexLock lock(impl_.mutex);
    if (impl_.options.verify != Verification::off())
      for (const auto &[handler, each] : impl_.verifier.comparisons())
        comparisons[core::readable_handler_name(handler)] = json_of(each);
    visit_variants(impl_, [&](const runtime::Variant &variant, bool active, bool binding) {
      if (!seen.insert(&variant).second)
        return;
      Row &row = rows.emplace_back(variant);
      row.active = active;
      row.is_binding = binding;
    });
  }
  Json list = Json::array();
  for (const Row &row : rows) {
    list.push_back(row.json());
    list.back()["runtime"] = id_;
    list.back()["comparison"] = comparisons[row.handler];
  }
  return list;
}

// The code is copied under the lock, so that it is not released meanwhile.
std::optional<Json> RuntimeControl::dump(const std::string &variant) {
  if (!impl_.is_active())
    return std::nullopt;
  std::optional<Row> row;
  std::vector<std::byte> code;
  {
    const base::MutexLock lock(impl_.mutex);
    visit_variants(impl_, [&](const runtime::Variant &each, bool active, bool binding) {
      if (row || each.name != variant)
        return;
      row.emplace(each);
      row->active = active;
      row->is_binding = binding;
      const auto text = each.code->text();
      code.assign(text.begin(), text.end());
    });
  }
  if (!row)
    return std::nullopt;
  std::string text(2 * code.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), reinterpret_cast<const unsigned char *>(code.data()),
                 code.size());
  text.pop_back();
  return Json{{"variant", row->json()}, {"code", std::move(text)}};
}

Result<void> RuntimeControl::switch_off(const std::string &name) {
  auto done = impl_.overrides.switch_off(name, impl_.opened_module());
  if (done) {
    impl_.apply_overrides();
    note("off", name);
  }
  return done;
}

Result<void> RuntimeControl::switch_on(const std::string &name) {
  auto done = impl_.overrides.switch_on(name, impl_.opened_module());
  if (done) {
    impl_.apply_overrides();
    note("on", name);
  }
  return done;
}

Result<void> RuntimeControl::pin(const Configuration &configuration) {
  if (auto opened = impl_.open_now(); !opened)
    return opened;
  if (!impl_.is_active())
    return std::unexpected(Failure{ErrorCode::no_compiler, "runtime",
                                   "has no compiler, or is switched off by SARTOR=off",
                                   "find the reason with `sartor doctor PROGRAM`"});
  {
    const base::MutexLock lock(impl_.mutex);
    auto fitted = fit(configuration, impl_.space);
    if (!fitted)
      return std::unexpected(std::move(fitted.error()));
    if (auto failure = impl_.space.check(*fitted))
      return std::unexpected(std::move(*failure));
    if (!impl_.overrides.pinned())
      impl_.asked_while_pinned = impl_.newest();
    impl_.overrides.pin(configuration);
  }
  note("pin", configuration.text());
  (void)impl_.request(configuration, Runtime::Impl::Purpose::activate, /*is_operators=*/true);
  return {};
}

Result<void> RuntimeControl::unpin() {
  std::optional<Configuration> wanted;
  {
    const base::MutexLock lock(impl_.mutex);
    if (!impl_.overrides.pinned())
      return std::unexpected(Failure{ErrorCode::bad_argument, "unpin", "nothing is pinned",
                                     "see pins with `sartor top`"});
    impl_.overrides.pin(std::nullopt);
    wanted = std::exchange(impl_.asked_while_pinned, std::nullopt);
  }
  note("unpin", "");
  (void)impl_.request(wanted.value_or(Configuration()), Runtime::Impl::Purpose::activate);
  return {};
}

void RuntimeControl::note(const char *did, const std::string &name) {
  if (impl_.events)
    impl_.events->append("operator", {{"did", did}, {"name", name}});
}

} // namespace sartor
