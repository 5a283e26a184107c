// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file read_fuse IMAGE FOLDER generic|specialized: mounts an image on a folder while this runs.
/// The folder is unmounted however the program ends.
#define FUSE_USE_VERSION 31

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fuse.h>

#include "service.h"

namespace {

using namespace files;

constexpr std::size_t kBuffers = 16'384;

/// Requests come one at a time, from a single loop.
struct Served {
  FileService *service;
  Client *client;
  std::array<std::int64_t, kSlots> next{}; ///< The current offset of each descriptor.
};

Served &served() { return *static_cast<Served *>(fuse_get_context()->private_data); }

int get_attributes(const char *path, struct stat *to, fuse_file_info *) {
  FileSystem &system = served().service->file_system();
  const long number = system.find(path);
  ext2_inode disk;
  if (number < 0)
    return static_cast<int>(number);
  if (!system.look(static_cast<unsigned>(number), disk))
    return -EIO;
  *to = {};
  to->st_ino = static_cast<ino_t>(number);
  to->st_mode = disk.i_mode;
  to->st_nlink = disk.i_links_count;
  to->st_size = static_cast<off_t>(EXT2_I_SIZE(&disk));
  to->st_blocks = disk.i_blocks;
  to->st_atime = disk.i_atime;
  to->st_mtime = disk.i_mtime;
  to->st_ctime = disk.i_ctime;
  return 0;
}

int read_folder(const char *path, void *to, fuse_fill_dir_t add, off_t, fuse_file_info *,
                fuse_readdir_flags) {
  const auto report = [&](const std::string &name) {
    add(to, name.c_str(), nullptr, 0, static_cast<fuse_fill_dir_flags>(0));
  };
  return served().service->file_system().list(path, report) ? 0 : -ENOTDIR;
}

int open_file(const char *path, fuse_file_info *file) {
  static constexpr unsigned kModes[] = {kReading, kWriting, kReading | kWriting};
  served().service->set_time(static_cast<std::uint32_t>(std::time(nullptr)));
  const long descriptor =
      served().service->open(*served().client, path, kModes[file->flags & O_ACCMODE]);
  if (descriptor < 0)
    return static_cast<int>(descriptor);
  file->fh = static_cast<std::uint64_t>(descriptor);
  file->direct_io = 1; // each read reaches this program, not the page cache
  served().next[file->fh] = 0;
  return 0;
}

int close_file(const char *, fuse_file_info *file) {
  return static_cast<int>(served().service->close(*served().client, static_cast<int>(file->fh)));
}

/// Requests contain an offset; for sequential reads the descriptor is there already.
template <class Call> int at(off_t offset, const fuse_file_info &file, Call call) {
  const int descriptor = static_cast<int>(file.fh);
  std::int64_t &next = served().next[file.fh];
  if (next != offset)
    served().service->lseek(*served().client, descriptor, offset, From::beginning);
  const long done = call(*served().service, *served().client, descriptor);
  next = offset + (done > 0 ? done : 0);
  return static_cast<int>(done);
}

int read_file(const char *, char *to, std::size_t bytes, off_t offset, fuse_file_info *file) {
  return at(offset, *file, [&](FileService &service, Client &client, int descriptor) {
    return service.read(client, descriptor, to, bytes);
  });
}

int write_file(const char *, const char *from, std::size_t bytes, off_t offset,
               fuse_file_info *file) {
  return at(offset, *file, [&](FileService &service, Client &client, int descriptor) {
    return service.write(client, descriptor, from, bytes);
  });
}

int truncate_file(const char *path, off_t size, fuse_file_info *) {
  return static_cast<int>(served().service->truncate(path, static_cast<std::uint64_t>(size)));
}

int serve(const char *program, const char *folder, FileService &service) {
  fuse_operations operations{};
  operations.getattr = get_attributes;
  operations.readdir = read_folder;
  operations.open = open_file;
  operations.release = close_file;
  operations.read = read_file;
  operations.write = write_file;
  operations.truncate = truncate_file;
  Served state{&service, &service.add_client()};
  // In the foreground, with one loop; a helper unmounts even if this process is killed.
  std::vector<std::string> words = {program, "-f", "-s", "-o", "auto_unmount", folder};
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  return fuse_main(static_cast<int>(arguments.size()), arguments.data(), &operations, &state);
}

} // namespace

int main(int argc, char **argv) {
  const std::string kind = argc == 4 ? argv[3] : "";
  if (kind != "generic" && kind != "specialized") {
    std::fputs("usage: read_fuse IMAGE FOLDER generic|specialized\n", stderr);
    return 2;
  }
  try {
    std::optional<sartor::Runtime> runtime;
    std::optional<FileService> service;
    if (kind == "specialized")
      service.emplace(argv[1], kBuffers, runtime.emplace(), sartor::QuasiInvariantOptions{});
    else
      service.emplace(argv[1], kBuffers);
    return serve(argv[0], argv[2], *service);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "read_fuse: %s\n", error.what());
    return 1;
  }
}
