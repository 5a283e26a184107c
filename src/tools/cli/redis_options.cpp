// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/redis_options.h"

namespace sartor::cli {

void add_redis_credentials(CLI::App &command, core::SharedCacheOptions &options) {
  command
      .add_option("--password-file", options.password_file,
                  "File with its password (default: $SARTOR_SHARED_CACHE_PASSWORD_FILE)")
      ->envname("SARTOR_SHARED_CACHE_PASSWORD_FILE");
  command
      .add_option("--ca-file", options.ca_file,
                  "File with PEM certificates of its CAs (default: $SARTOR_SHARED_CACHE_CA_FILE)")
      ->envname("SARTOR_SHARED_CACHE_CA_FILE");
}

} // namespace sartor::cli
