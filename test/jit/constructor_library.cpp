// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Specializes its handler in a constructor, while the loading thread holds the dynamic linker's
/// lock.

#include <cstdio>
#include <cstdlib>

#include <sartor/sartor.hpp>

#include "exit_handler.h"

namespace {

struct Early {
  Early() {
    sartor::Runtime runtime;
    const char *setting = std::getenv("SETTING");
    const auto infos = runtime.specialize(sartor::Configuration::from_json(setting));
    std::printf("%s %s\n", infos.front().name.c_str(),
                infos.front().origin == sartor::VariantOrigin::compiled ? "compiled" : "found");
  }
};
const Early early;

} // namespace
