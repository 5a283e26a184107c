// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/key.h"

#include <iostream>

#include "base/keys.h"

namespace sartor::cli {

KeyCommand::KeyCommand(CLI::App &app) {
  app.add_subcommand("key", "Make a key that signs, and the one that it is known by.")
      ->add_option("--output", name_, "Writes NAME.key, to be kept secret, and NAME.pub")
      ->required()
      ->type_name("NAME");
}

Result<void> KeyCommand::run() const {
  if (auto made = base::make_keys(name_); !made)
    return made;
  std::cout << name_ << ".key: keep it secret; it signs\n"
            << name_ << ".pub: goes to whoever is to know what it has signed\n";
  return {};
}

} // namespace sartor::cli
