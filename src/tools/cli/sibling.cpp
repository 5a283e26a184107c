// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/sibling.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <unistd.h>

namespace sartor::cli {

Failure become_sibling(const std::string &name, const std::vector<std::string> &arguments) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return {ErrorCode::file_error, name, "cannot be found: /proc/self/exe: " + error.message(),
            "see whether /proc is mounted"};
  const std::string program = self.parent_path() / name;
  std::vector<char *> words{const_cast<char *>(program.c_str())};
  std::ranges::transform(arguments, std::back_inserter(words), [](const std::string &argument) {
    return const_cast<char *>(argument.c_str());
  });
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  return {ErrorCode::file_error, program,
          errno == ENOENT
              ? "is not there"
              : "cannot be executed: " + std::error_code(errno, std::generic_category()).message(),
          "it belongs beside the command sartor: install Sartor as a whole"};
}

} // namespace sartor::cli
