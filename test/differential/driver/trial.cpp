// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trial.h"

#include <iostream>

#include <nlohmann/json.hpp>

#include "../program.h"

#pragma weak program_bindings
#pragma weak program_tables
#pragma weak program_configurations

Trial Trial::draw(const Settings &settings, std::mt19937_64 &random, bool quick_tier,
                  bool keeps_code) {
  Trial trial;
  trial.quick_tier = quick_tier;
  trial.keeps_code = keeps_code;
  trial.configuration = settings.draw(random);
  trial.instrumented = settings.draw_instrumented(random);
  if (random() % 8 == 0)
    trial.passes = random() % 2 == 0 ? "default<O1>" : "default<O2>";
  if (program_bindings)
    for (int i = 0; program_bindings[i].handler; ++i)
      if (random() % 3 == 0)
        trial.bound.push_back(i);
  trial.invariant = program_tables && random() % 2 == 0;
  trial.meanwhile = random() % 3 == 0;
  return trial;
}

std::vector<Trial> Trial::asked_for(bool quick_tier, bool keeps_code) {
  std::vector<Trial> trials;
  for (const char **text = program_configurations; text && *text; ++text)
    trials.push_back({.configuration = sartor::Configuration::from_json(*text),
                      .quick_tier = quick_tier,
                      .keeps_code = keeps_code});
  return trials;
}

std::string Trial::json() const {
  return nlohmann::json({{"configuration", nlohmann::json::parse(configuration.json())},
                         {"instrumented", instrumented},
                         {"passes", passes},
                         {"bound", bound},
                         {"promised", invariant},
                         {"meanwhile", meanwhile},
                         {"quick_tier", quick_tier},
                         {"keeps_code", keeps_code}})
      .dump();
}

Trial Trial::from_json(const std::string &text) {
  const auto json = nlohmann::json::parse(text);
  return {.configuration = sartor::Configuration::from_json(json.at("configuration").dump()),
          .instrumented = json.at("instrumented"),
          .passes = json.at("passes"),
          .bound = json.at("bound"),
          .invariant = json.at("promised"),
          .meanwhile = json.at("meanwhile"),
          .quick_tier = json.at("quick_tier"),
          .keeps_code = json.at("keeps_code")};
}

void Active::prepare(sartor::Runtime &runtime, const Trial &trial) {
  runtime.customize_pipeline({.passes = trial.passes});
  runtime.instrument(trial.instrumented);
  if (trial.invariant)
    for (const ProgramTable *table = program_tables; table->begin; ++table)
      invariant_.add(table->begin, table->bytes);
}

void Active::bind(sartor::Runtime &runtime, const Trial &trial) {
  for (const int i : trial.bound) {
    ProgramBinding &binding = program_bindings[i];
    const std::map<unsigned, sartor::BoundArgument> arguments{{binding.argument, binding.value}};
    try {
      shares_.push_back(runtime.bind(binding.handler, arguments));
      shares_.back().wait();
      binding.bound = shares_.back().function(arguments);
    } catch (const sartor::Error &error) {
      // A refusal is no error; the refused binding is printed.
      if (error.code() != sartor::ErrorCode::bad_binding)
        throw;
      std::cout << "refused " << error.what() << std::endl;
    }
  }
}

Active::~Active() {
  if (program_bindings)
    for (ProgramBinding *binding = program_bindings; binding->handler; ++binding)
      binding->bound = nullptr;
  invariant_.invalidate();
}
