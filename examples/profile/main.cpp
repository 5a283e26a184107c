// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>
#include <string>

#include <sartor/sartor.hpp>

int main() {
  sartor::Runtime runtime;
  auto sum = runtime.handler<&digit_sum>();

  runtime.instrument({{"base", 1}}); // each call; 100 would be one in 100 on average
  for (std::uint64_t i = 0; i < 1000; ++i)
    sum(i, i % 10 == 0 ? 16 : 10);
  runtime.instrument({}); // stop recording

  const sartor::Profile profile = runtime.profile();
  for (const auto &entry : profile.find("base")->entries) // the most frequent first
    std::cout << "base " << entry.inputs.front().text() << ": " << entry.count << '\n';
  const std::string saved = profile.json();

  // In another run of the program, or later in this one.
  sartor::Runtime later;
  later.load_profile(sartor::Profile::from_json(saved));
  const sartor::Profile loaded = later.profile();
  const sartor::Value &popular = loaded.find("base")->entries.front().inputs.front();
  for (const auto &variant : later.specialize({{"base", popular}}))
    std::cout << "active: " << variant.name << '\n';
  std::cout << "specialized: " << later.handler<&digit_sum>()(1234, 10) << '\n';
}
