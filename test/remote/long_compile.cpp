// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A client whose compilations take longer than any time limit: long_compile ADDRESS SERVER_KEY KEY
/// VALUE.

#include <chrono>
#include <string>

#include <sartor/sartor.hpp>

int main(int, char **words) {
  sartor::Runtime runtime({.compiler = sartor::CompilerLocation::server,
                           .compiler_server = {words[1], words[2], words[3]},
                           .compile_timeout = std::chrono::seconds(250)});
  std::string passes = "gvn";
  for (int i = 0; i < 15'000; ++i)
    passes += ",gvn";
  runtime.customize_pipeline({.passes = "function(" + passes + ")"});
  runtime.specialize({{"large", std::stol(words[4])}});
}
