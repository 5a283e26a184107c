// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STORE_H
#define SARTOR_TEST_STORE_H

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "paths.h"

// NOLINTBEGIN(bugprone-command-processor): all commands are the test's own.
namespace sartor::testing_aids {

/// A Redis or PostgreSQL of the test's own (scripts/stores.sh). Stops when the object is destroyed
/// or the test ends.
class Store {
public:
  explicit Store(std::string kind = "redis") : kind_(std::move(kind)) {
    std::string name = "/tmp/sartor-store-XXXXXX";
    directory_ = mkdtemp(name.data());
    start();
  }
  ~Store() {
    stop();
    std::filesystem::remove_all(directory_);
  }
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  /// Starts the store at the same address and with its previous content, unless it was emptied.
  void start() {
    const std::string command = paths::stores_script() + " start " + kind_ + " " +
                                directory_.string() + " " + std::to_string(getpid());
    FILE *output = popen(command.c_str(), "r");
    char line[512] = {};
    const bool read = output && std::fgets(line, sizeof line, output);
    if ((output && pclose(output) != 0) || !read)
      throw std::runtime_error("failed: " + command);
    address_ = line;
    address_.pop_back();
  }
  void stop() {
    const std::string command = paths::stores_script() + " stop " + directory_.string();
    if (std::system(command.c_str()) != 0)
      throw std::runtime_error("failed: " + command);
  }

  [[nodiscard]] const std::string &address() const { return address_; }
  [[nodiscard]] const std::filesystem::path &directory() const { return directory_; }

  /// The password file of a user of redis-tls, for example `reader`.
  [[nodiscard]] std::filesystem::path password(const std::string &user) const {
    return directory_ / (user + ".password");
  }

  /// The output of redis-cli.
  [[nodiscard]] std::string redis(const std::string &words) const {
    const char *as_whom =
        kind_ == "redis-tls" ? "REDISCLI_AUTH=admin-password redis-cli --user admin" : "redis-cli";
    const std::string command =
        std::string(as_whom) + " -s " + (directory_ / "redis.sock").string() + " " + words;
    FILE *output = popen(command.c_str(), "r");
    std::string text;
    for (int next = 0; (next = std::fgetc(output)) != EOF;)
      text += static_cast<char>(next);
    pclose(output);
    return text;
  }

  /// A signing key file made of `seed`.
  [[nodiscard]] std::filesystem::path key(char seed = 'k') const {
    std::filesystem::path file = directory_ / (std::string("key_") + seed);
    std::ofstream(file) << std::string(32, seed);
    chmod(file.c_str(), S_IRUSR | S_IWUSR);
    return file;
  }

private:
  std::string kind_;
  std::filesystem::path directory_;
  std::string address_;
};

} // namespace sartor::testing_aids
// NOLINTEND(bugprone-command-processor)

#endif
