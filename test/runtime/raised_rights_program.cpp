// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that performs every operation that environment variables may influence.
#include <cstdio>

#include <sartor/sartor.hpp>

#include "handlers/custom.h"

int main() try {
  sartor::Options options;
  options.verify = sartor::Verification::off(); // the generated code gives other results
  sartor::Runtime runtime(options);
  if (!runtime.active())
    return 1;
  runtime.add_custom("table", [](const sartor::GeneratorInput &) {
    return sartor::GeneratedCode{.text = "unsigned specialized(unsigned i) { return i * 3; }"};
  });
  auto call = runtime.handler<&custom_lookup>();
  for (const auto &info : runtime.specialize({{"lookup", 1}}))
    if (info.origin != sartor::VariantOrigin::native)
      std::printf("%s\n", info.name.c_str());
  return call(5) == 30 ? 0 : 2;
} catch (const sartor::Error &error) {
  std::puts(error.what());
  return 3;
}
