// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_IMAGE_H
#define READ_IMAGE_H

#include <cstddef>
#include <filesystem>

namespace files {

/// Makes an image with an ext2 file system with mke2fs, containing the files of `folder`. Throws
/// std::runtime_error.
void make_image(const std::filesystem::path &image, const std::filesystem::path &folder,
                std::size_t block_size, std::size_t mebibytes);

} // namespace files

#endif
