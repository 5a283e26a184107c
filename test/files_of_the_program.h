// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FILES_OF_THE_PROGRAM_H
#define SARTOR_TEST_FILES_OF_THE_PROGRAM_H

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/// A program that closes all its descriptors and opens files of its own, which then get their
/// numbers: files, memory files, directories, pipes and sockets in turn. Not for use while other
/// threads open files.
class FilesOfTheProgram {
public:
  /// Closes the descriptors from `first` on. `turn` selects the kind that comes first.
  explicit FilesOfTheProgram(int first = STDERR_FILENO + 1, int turn = 0) {
    closefrom(first);
    std::string name = std::filesystem::temp_directory_path() / "sartor-program-XXXXXX";
    folder_ = mkdtemp(name.data());
    std::filesystem::create_directory(folder_ / "directory");
    for (int i = turn; i < turn + kFiles; ++i)
      open_one(i % 5);
  }
  ~FilesOfTheProgram() {
    for (const Opened &each : opened_)
      close(each.number);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  FilesOfTheProgram(const FilesOfTheProgram &) = delete;
  FilesOfTheProgram &operator=(const FilesOfTheProgram &) = delete;

  /// Gives the files to another user, for a program that is about to change its user.
  [[nodiscard]] bool give_to(uid_t user) const {
    return chown(folder_.c_str(), user, user) == 0 &&
           chown((folder_ / "directory").c_str(), user, user) == 0;
  }

  /// True if all are open, and nothing was written to them or read from them.
  [[nodiscard]] bool are_untouched() const {
    bool are_good = true;
    for (const Opened &each : opened_) {
      struct stat now;
      const bool is_good = fstat(each.number, &now) == 0 && now.st_ino == each.status.st_ino &&
                           now.st_dev == each.status.st_dev && holds_what_it_did(each);
      if (!is_good)
        std::fprintf(stderr, "descriptor %d of the program was touched\n", each.number);
      are_good &= is_good;
    }
    return are_good;
  }

private:
  static constexpr int kFiles = 60;
  static constexpr const char *kText = "of the program\n";
  enum class Kind : unsigned char { file, directory, to_be_read, quiet };

  struct Opened {
    int number;
    Kind kind;
    int other_end;
    struct stat status;
  };

  void note(int number, Kind kind, int other_end = -1) {
    Opened one{number, kind, other_end, {}};
    if (fstat(number, &one.status) != 0)
      std::abort();
    opened_.push_back(one);
  }

  void open_one(int kind) {
    std::array<int, 2> ends{-1, -1};
    switch (kind) {
    case 0:
      return write_into(
          open((folder_ / std::to_string(opened_.size())).c_str(), O_RDWR | O_CREAT | O_EXCL, 0600),
          Kind::file);
    case 1:
      return write_into(memfd_create("of the program", 0), Kind::file);
    case 2:
      return note(open((folder_ / "directory").c_str(), O_RDONLY | O_DIRECTORY), Kind::directory);
    case 3:
      if (pipe(ends.data()) != 0)
        std::abort();
      note(ends[0], Kind::to_be_read, ends[1]);
      return write_into(ends[1], Kind::quiet);
    default:
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
        std::abort();
      note(ends[0], Kind::to_be_read, ends[1]);
      return write_into(ends[1], Kind::quiet);
    }
  }

  void write_into(int number, Kind kind) {
    const std::string text = kText;
    if (write(number, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      std::abort();
    note(number, kind);
  }

  static bool holds_what_it_did(const Opened &opened) {
    const std::string text = kText;
    std::array<char, 100> bytes{};
    ssize_t count = 0;
    switch (opened.kind) {
    case Kind::file:
      if (lseek(opened.number, 0, SEEK_CUR) != static_cast<off_t>(text.size()))
        return false;
      count = pread(opened.number, bytes.data(), bytes.size(), 0);
      break;
    case Kind::to_be_read: {
      // Reads from the other end, and writes the content back.
      fcntl(opened.number, F_SETFL, O_NONBLOCK);
      count = read(opened.number, bytes.data(), bytes.size());
      if (count == static_cast<ssize_t>(text.size()) &&
          write(opened.other_end, bytes.data(), text.size()) != count)
        return false;
      break;
    }
    case Kind::directory: { // creating or removing a file in it changes its time
      struct stat now;
      return fstat(opened.number, &now) == 0 &&
             now.st_mtim.tv_sec == opened.status.st_mtim.tv_sec &&
             now.st_mtim.tv_nsec == opened.status.st_mtim.tv_nsec;
    }
    case Kind::quiet:
      return true;
    }
    return count == static_cast<ssize_t>(text.size()) &&
           std::string(bytes.data(), text.size()) == text;
  }

  std::filesystem::path folder_;
  std::vector<Opened> opened_;
};

/// True if `body` is true in a child process, whose descriptors it may close.
inline bool is_true_in_child(const std::function<bool()> &body) {
  const pid_t child = fork();
  if (child == 0)
    _exit(body() ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
