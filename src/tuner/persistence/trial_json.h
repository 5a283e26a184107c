// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PERSISTENCE_TRIAL_JSON_H
#define SARTOR_TUNER_PERSISTENCE_TRIAL_JSON_H

#include <string_view>

#include <nlohmann/json.hpp>

#include <sartor/strategy.hpp>

#include "base/result.h"

namespace sartor {

/// `{"configuration":{"B":16},"score":1.5,"error":0.1,"sample_count":8}`, and `"failed":true`
/// (without a score) or `"cut_short":true` if that applies, and
/// `"parts":{"pdv":{"score":1.2,"error":0.1}}` if there are any.
nlohmann::ordered_json trial_to_json(const Trial &trial);
/// The default of the error is 0, that of the number of samples 1. Fails with bad_json.
Result<Trial> trial_from_json(const nlohmann::ordered_json &json);

std::string_view name_of(Verdict verdict);
/// `{"configuration":{"B":16},"mean":1.5,"low":1.4,"high":1.6,"windows":80,"gain":0.1,
/// "gain_low":0.05,"gain_high":0.15,"verdict":"better"}`, and `"bounds":[{"mean":...,"low":...,
/// "high":...}],"keeps_bounds":true` if there are any.
nlohmann::ordered_json decision_to_json(const Decision &decision);
/// The estimate is optional. Fails with bad_json.
Result<Decision> decision_from_text(std::string_view text);

} // namespace sartor

#endif
