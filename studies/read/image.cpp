// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace files {

void make_image(const std::filesystem::path &image, const std::filesystem::path &folder,
                std::size_t block_size, std::size_t mebibytes) {
  std::filesystem::remove(image);
  // Disables later features that reading does not need, so that the result is a plain ext2.
  std::vector<std::string> words = {READ_MKE2FS,
                                    "-q",
                                    "-F",
                                    "-t",
                                    "ext2",
                                    "-O",
                                    "^resize_inode,^dir_index,^ext_attr",
                                    "-b",
                                    std::to_string(block_size),
                                    "-d",
                                    folder.string(),
                                    image.string(),
                                    std::to_string(mebibytes) + "M"};
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t quietly;
  posix_spawn_file_actions_init(&quietly);
  posix_spawn_file_actions_addopen(&quietly, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  int status = 0;
  const int error = posix_spawn(&child, READ_MKE2FS, &quietly, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&quietly);
  if (error != 0 || waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error("mke2fs has not made " + image.string());
}

} // namespace files
