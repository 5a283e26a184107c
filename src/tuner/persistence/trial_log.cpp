// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/persistence/trial_log.h"

#include "base/probes.h"
#include "base/text/value_json.h"
#include "tuner/limits.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

Json fields_of(const Configuration &configuration) {
  return {{"configuration", Json::parse(configuration.json())}, {"text", configuration.text()}};
}

} // namespace

void TrialLog::add(const Trial &trial) {
  if (so_far_)
    so_far_->add(trial);
  if (trial.sample_count > 1 || trial.cut_short) {
    write(trial);
    return;
  }
  Collected &collected = collected_[trial.configuration];
  ++collected.sample_count;
  collected.score_sum += trial.score;
  collected.seconds += trial.seconds;
  if (collected.sample_count >= limits::samples_per_event ||
      collected.seconds >= limits::seconds_per_event) {
    write(trial.configuration, collected);
    collected = {};
  }
}

void TrialLog::failed(const Configuration &configuration, const std::string &why) const {
  if (so_far_)
    so_far_->add_failed();
  Json fields = fields_of(configuration);
  fields["failed"] = true;
  fields["error"] = why;
  variants_.log("trial", dump(fields));
}

void TrialLog::flush() {
  for (const auto &[configuration, collected] : collected_)
    if (collected.sample_count > 0)
      write(configuration, collected);
  collected_.clear();
}

void TrialLog::write(const Trial &trial) const {
  Json fields = fields_of(trial.configuration);
  fields["score"] = trial.score;
  fields["error"] = trial.error;
  fields["sample_count"] = trial.sample_count;
  fields["cut_short"] = trial.cut_short;
  fields["seconds"] = trial.seconds;
  SARTOR_PROBE(trial, trial.configuration.text().c_str(), trial.sample_count,
               static_cast<std::uint64_t>(trial.seconds * 1e9));
  variants_.log("trial", dump(fields));
}

void TrialLog::write(const Configuration &configuration, const Collected &collected) const {
  Json fields = fields_of(configuration);
  fields["score"] = collected.score_sum / static_cast<double>(collected.sample_count);
  fields["sample_count"] = collected.sample_count;
  fields["seconds"] = collected.seconds;
  SARTOR_PROBE(trial, configuration.text().c_str(), collected.sample_count,
               static_cast<std::uint64_t>(collected.seconds * 1e9));
  variants_.log("trial", dump(fields));
}

} // namespace sartor
