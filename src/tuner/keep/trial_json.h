// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_KEEP_TRIAL_JSON_H
#define SARTOR_TUNER_KEEP_TRIAL_JSON_H

#include <string_view>

#include <nlohmann/json.hpp>

#include <sartor/strategy.hpp>

#include "base/result.h"

namespace sartor {

/// `{"configuration":{"B":16},"score":1.5,"error":0.1,"slices":8}`, and `"failed":true` (without a
/// score) or `"cut_short":true` where that is so, `"parts":{"pdv":{"score":1.2,"error":0.1}}` where
/// there are some.
nlohmann::ordered_json trial_to_json(const Trial &trial);
/// Without an error it is 0, without slices 1. Fails with bad_json.
Result<Trial> trial_from_json(const nlohmann::ordered_json &json);

std::string_view name_of(Verdict verdict);
/// `{"configuration":{"B":16},"mean":1.5,"low":1.4,"high":1.6,"windows":80,"gain":0.1,
/// "gain_low":0.05,"gain_high":0.15,"verdict":"better"}`, and `"bounds":[{"mean":...,"low":...,
/// "high":...}],"keeps_bounds":true` where there are some.
nlohmann::ordered_json decision_to_json(const Decision &decision);
/// The estimate may be left out. Fails with bad_json.
Result<Decision> decision_from_json(const nlohmann::ordered_json &json);

/// The same from text.
Result<Trial> trial_from_text(std::string_view text);
Result<Decision> decision_from_text(std::string_view text);

} // namespace sartor

#endif
