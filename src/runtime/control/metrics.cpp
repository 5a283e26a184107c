// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/metrics.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text/json.h"
#include "runtime/control/control.h"

namespace sartor {

namespace {

using Json = nlohmann::ordered_json;

/// Writes metrics as OpenMetrics text, version 1.0.0.
class OpenMetrics {
public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  /// Begins a family of samples. `type` is counter, gauge or info; `name` has no suffix.
  void family(const std::string &name, const std::string &type, const std::string &help);
  /// Adds a sample of the last family. Left out if `value` is no number. Of samples with the same
  /// labels, which there must not be, one is written: the sum for a counter, else the greatest.
  void sample(const Labels &labels, const Json &value);
  /// Ends the text.
  [[nodiscard]] std::string text() &&;

private:
  void end_family();

  std::string text_;
  std::string name_; ///< Of the samples of the last family, with its suffix.
  bool is_counter_ = false;
  /// The samples of the last family, by the text of their labels.
  std::vector<std::pair<std::string, Json>> samples_;
  std::map<std::string, std::size_t> places_; ///< Their indices.
};

Json sum_of(const Json &one, const Json &other) {
  if (one.is_number_integer() && other.is_number_integer())
    return one.get<std::uint64_t>() + other.get<std::uint64_t>();
  return one.get<double>() + other.get<double>();
}

std::string escaped(const std::string &text) {
  std::string result;
  for (const char each : text)
    if (each == '\n')
      result += "\\n";
    else if (each == '"' || each == '\\')
      result += {'\\', each};
    else
      result += each;
  return result;
}

void OpenMetrics::end_family() {
  for (const auto &[labels, value] : samples_)
    text_ += name_ + labels + ' ' + dump(value) + '\n';
  samples_.clear();
  places_.clear();
}

void OpenMetrics::family(const std::string &name, const std::string &type,
                         const std::string &help) {
  end_family();
  text_ += "# TYPE " + name + ' ' + type + '\n';
  if (name.ends_with("_bytes") || name.ends_with("_seconds") || name.ends_with("_ratio"))
    text_ += "# UNIT " + name + ' ' + name.substr(name.rfind('_') + 1) + '\n';
  text_ += "# HELP " + name + ' ' + escaped(help) + '\n';
  is_counter_ = type == "counter";
  name_ = name + (is_counter_ ? "_total" : type == "info" ? "_info" : "");
}

void OpenMetrics::sample(const Labels &labels, const Json &value) {
  if (!value.is_number()) // infinite: nothing is known
    return;
  std::string text;
  for (const auto &[label, of] : labels)
    text += (text.empty() ? '{' : ',') + label + "=\"" + escaped(of) + '"';
  text += (labels.empty() ? "" : "}");
  const auto [place, is_new] = places_.try_emplace(text, samples_.size());
  if (is_new) {
    samples_.emplace_back(std::move(text), value);
    return;
  }
  Json &known = samples_[place->second].second;
  if (is_counter_)
    known = sum_of(known, value);
  else if (known < value)
    known = value;
}

std::string OpenMetrics::text() && {
  end_family();
  return std::move(text_) + "# EOF\n";
}

using Json = nlohmann::ordered_json;
using Labels = OpenMetrics::Labels;

/// A field of Statistics and its metric.
struct Counted {
  const char *field;
  const char *metric;
  const char *help;
};

constexpr Counted kCounters[] = {
    {"compiles", "sartor_compiles", "Variants compiled, in both tiers."},
    {"filled", "sartor_templates_filled", "First variants made by filling in a template."},
    {"cache_hits", "sartor_code_cache_hits", "Requests answered from the code cache."},
    {"ahead_of_time", "sartor_ahead_of_time_hits", "Variants found in the program's file."},
    {"alike", "sartor_same_content_hits", "Variants made for other memory with the same content."},
    {"disk_hits", "sartor_disk_cache_hits", "Variants found in the disk cache."},
    {"disk_misses", "sartor_disk_cache_misses", "Variants missing in the disk cache."},
    {"shared_hits", "sartor_shared_cache_hits", "Variants found in the shared cache."},
    {"shared_misses", "sartor_shared_cache_misses", "Variants missing in the shared cache."},
    {"failures", "sartor_request_failures", "Requests that ended in an error."},
    {"switches", "sartor_switches", "Activations of another variant."},
    {"replugs", "sartor_replugs", "Variants deactivated by invalidations."},
    {"reclaimed", "sartor_variants_reclaimed", "Variants whose memory was reclaimed."}};

constexpr Counted kGauges[] = {
    {"variants", "sartor_variants", "Variants in memory."},
    {"code_bytes", "sartor_code_bytes", "Machine code and its data in memory."},
    {"resident_bytes", "sartor_resident_bytes", "Memory of all variants, with metadata."}};

std::string runtime_id(const Json &runtime) { return std::to_string(runtime.at("id").get<int>()); }

/// Calls `visit` with the labels of each handler, and its row.
template <class Visit> void each_handler(const Json &runtimes, Visit visit) {
  for (const Json &runtime : runtimes)
    for (const Json &handler : runtime.at("handlers"))
      visit(Labels{{"runtime", runtime_id(runtime)}, {"handler", handler.at("handler")}}, handler);
}

void add_runtimes(OpenMetrics &out, const Json &runtimes) {
  for (const Counted &each : kCounters) {
    out.family(each.metric, "counter", each.help);
    for (const Json &runtime : runtimes)
      out.sample({{"runtime", runtime_id(runtime)}}, runtime.at("statistics").at(each.field));
  }
  for (const Counted &each : kGauges) {
    out.family(each.metric, "gauge", each.help);
    for (const Json &runtime : runtimes)
      out.sample({{"runtime", runtime_id(runtime)}}, runtime.at("statistics").at(each.field));
  }
  out.family("sartor_guard_failures", "counter", "Failed guards, by label of the point.");
  for (const Json &runtime : runtimes)
    for (const auto &[label, count] : runtime.at("guard_failures").items())
      out.sample({{"runtime", runtime_id(runtime)}, {"label", label}}, count);
  out.family("sartor_handler_specialized", "gauge", "1 if a variant is active, 0 for native code.");
  each_handler(runtimes, [&](const Labels &labels, const Json &handler) {
    out.sample(labels, handler.at("active").is_null() || handler.at("off") ? 0 : 1);
  });
  out.family("sartor_handler_off", "gauge", "1 if an operator has switched the handler off.");
  each_handler(runtimes, [&](const Labels &labels, const Json &handler) {
    out.sample(labels, handler.at("off") ? 1 : 0);
  });
  out.family("sartor_bindings", "gauge", "Contexts with bound arguments.");
  each_handler(runtimes, [&](const Labels &labels, const Json &handler) {
    out.sample(labels, handler.at("bindings").at("count"));
  });
}

/// Nothing for runtimes that compare no calls.
void add_comparisons(OpenMetrics &out, const Json &runtimes) {
  const auto each_comparison = [&](auto visit) {
    each_handler(runtimes, [&](Labels labels, const Json &handler) {
      if (const Json &comparison = handler.at("comparison"); !comparison.is_null())
        visit(std::move(labels), comparison);
    });
  };
  const auto add = [&](const char *field) {
    each_comparison([&](const Labels &labels, const Json &comparison) {
      out.sample(labels, comparison.at(field));
    });
  };
  out.family("sartor_compared_calls", "counter", "Calls compared with the native code.");
  add("compared");
  out.family("sartor_differences", "counter", "Variants that differed from the native code.");
  add("differences");
  out.family("sartor_quarantined_requests", "counter", "Requests for quarantined variants.");
  add("quarantined");
  out.family("sartor_handler_comparison", "info", "How calls of the handler are compared.");
  each_comparison([&](Labels labels, const Json &comparison) {
    labels.emplace_back("comparison", comparison.at("how"));
    out.sample(labels, 1);
  });
}

/// Comparisons of BPF variants with the generic programs, before they are attached.
void add_kernel_comparisons(OpenMetrics &out, const Json &runtimes) {
  const auto add = [&](const char *field) {
    each_handler(runtimes, [&](const Labels &labels, const Json &handler) {
      out.sample(labels, handler.at(field));
    });
  };
  out.family("sartor_bpf_compared_variants", "counter", "BPF variants compared in test runs.");
  add("compared");
  out.family("sartor_bpf_compared_packets", "counter", "Packets for which they were compared.");
  add("packets");
  out.family("sartor_bpf_differences", "counter", "BPF variants that differed in test runs.");
  add("differences");
  out.family("sartor_bpf_not_compared_variants", "counter", "BPF variants without comparison.");
  each_handler(runtimes, [&](const Labels &labels, const Json &handler) {
    for (const auto &[reason, count] : handler.at("not_compared").items()) {
      Labels with_reason = labels;
      with_reason.emplace_back("reason", reason);
      out.sample(with_reason, count);
    }
  });
}

void add_explorers(OpenMetrics &out, const Json &explorers) {
  const auto labels = [](const Json &explorer) {
    return Labels{{"objective", explorer.at("objective")}};
  };
  out.family("sartor_explorations", "counter", "Completed explorations.");
  for (const Json &each : explorers)
    out.sample(labels(each), each.at("explorations"));
  out.family("sartor_exploring", "gauge", "1 while an exploration runs.");
  for (const Json &each : explorers)
    out.sample(labels(each), each.at("state") == "exploring" ? 1 : 0);
  for (const auto &[field, metric] :
       {std::pair("gain", "sartor_gain_ratio"), std::pair("gain_low", "sartor_gain_low_ratio"),
        std::pair("gain_high", "sartor_gain_high_ratio")}) {
    out.family(metric, "gauge", "Measured gain of the last decision, and its interval.");
    for (const Json &each : explorers)
      if (each.contains("decision"))
        out.sample(labels(each), each.at("decision").at(field));
  }
}

void add_quasi_invariants(OpenMetrics &out, const Json &rows) {
  struct Field {
    const char *name;
    const char *metric;
    const char *type;
    const char *help;
  };
  constexpr Field fields[] = {
      {"valid", "sartor_quasi_invariant_valid", "gauge", "1 while it is valid."},
      {"held", "sartor_quasi_invariant_held", "counter", "Times that it became valid."},
      {"invalidated", "sartor_quasi_invariant_invalidated", "counter",
       "Writes that deactivated code."},
      {"unseen", "sartor_quasi_invariant_unseen", "counter", "Writes that passed no guard."},
      {"invalidation_seconds", "sartor_quasi_invariant_invalidation_seconds", "counter",
       "Time that writers waited in guards."}};
  for (const Field &field : fields) {
    out.family(field.metric, field.type, field.help);
    for (const Json &row : rows) {
      const Json &value = row.at(field.name);
      out.sample({{"name", row.at("name")}}, value.is_boolean() ? Json(value ? 1 : 0) : value);
    }
  }
}

} // namespace

std::string metrics() {
  const Json status = Control::instance().status();
  OpenMetrics out;
  out.family("sartor_build", "info", "Version of the library.");
  out.sample({{"version", status.at("sartor")}}, 1);
  add_runtimes(out, status.at("runtimes"));
  add_comparisons(out, status.at("runtimes"));
  add_kernel_comparisons(out, status.at("kernel_handlers"));
  add_explorers(out, status.at("explorers"));
  add_quasi_invariants(out, status.at("quasi_invariants"));
  return std::move(out).text();
}

} // namespace sartor
