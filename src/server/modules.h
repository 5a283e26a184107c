// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SERVER_MODULES_H
#define SARTOR_SERVER_MODULES_H

#include <cstddef>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "observe/result.h"
#include "store/hash.h"

namespace sartor::server {

/// Handler modules that clients have given, packed, by their hash (text). Least recently used ones
/// go; who uses one keeps it.
class Modules {
public:
  explicit Modules(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Null if it is not there.
  std::shared_ptr<const std::string> find(std::string_view hash);
  /// Those of devices, which cannot give theirs: files of a directory, NAME.module, each bitcode
  /// that the compiler reads when it is asked for. They do not go. Fails with file_error.
  Result<std::size_t> read(const std::filesystem::path &directory);
  /// Null if that is not its hash.
  std::shared_ptr<const std::string> insert(const std::string &hash, std::string bytes);

private:
  struct Entry {
    std::string hash;
    std::shared_ptr<const std::string> bytes;
  };

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::list<Entry> entries_; ///< The latest used first.
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> of_devices_;
};

} // namespace sartor::server

#endif
