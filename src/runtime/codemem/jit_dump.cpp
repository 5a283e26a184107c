// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/jit_dump.h"

#include <ctime>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/raw_bytes.h"
#include "base/reports.h"
#include "runtime/codemem/near.h"

namespace sartor::runtime {

namespace {

constexpr std::uint32_t kMagic = 0x4a695444; // "JiTD"
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kCodeLoaded = 0;
constexpr std::uint32_t kLines = 2;
constexpr std::uint32_t kUnwinding = 4;

struct Header {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t bytes = sizeof(Header);
  std::uint32_t machine = EM_X86_64;
  std::uint32_t padding = 0;
  std::uint32_t process;
  std::uint64_t time;
  std::uint64_t flags = 0;
};
static_assert(sizeof(Header) == 40);

struct CodeLoaded {
  std::uint32_t kind = kCodeLoaded;
  std::uint32_t bytes; ///< The size including the name, a zero byte and the code.
  std::uint64_t time;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint64_t address;
  std::uint64_t runs_at;
  std::uint64_t code_bytes;
  std::uint64_t index;
};
static_assert(sizeof(CodeLoaded) == 56);

/// Comes before the code, as does Unwinding.
struct Lines {
  std::uint32_t kind = kLines;
  std::uint32_t bytes; ///< The size including the lines.
  std::uint64_t time;
  std::uint64_t address;
  std::uint64_t count;
};
static_assert(sizeof(Lines) == 32);

struct Line {
  std::uint64_t address;
  std::uint32_t line;
  std::uint32_t discriminator = 0;
};
static_assert(sizeof(Line) == 16);

struct Unwinding {
  std::uint32_t kind = kUnwinding;
  std::uint32_t bytes; ///< The size including the tables.
  std::uint64_t time;
  std::uint64_t table_bytes;
  std::uint64_t header_bytes;
  std::uint64_t mapped_bytes;
};
static_assert(sizeof(Unwinding) == 40);

// The clock of `perf record -k mono`.
std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::string lines_of(const JitDump::Function &function) {
  std::string lines;
  for (const LineRow &row : function.lines) {
    base::append_raw(lines, Line{.address = function.address + row.at, .line = row.line});
    lines += row.file; // in each: some versions of perf do not know the mark of a repeated name
    lines += '\0';
  }
  return lines;
}

bool write_all(int file, const std::string &bytes) {
  return ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

// perf recognizes the file because it is mapped as executable.
bool show_to_perf(const std::filesystem::path &path) {
  const base::FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return mmap(nullptr, page_size(), PROT_READ | PROT_EXEC, MAP_PRIVATE, file.get(), 0) !=
         MAP_FAILED;
}

} // namespace

JitDump &JitDump::instance() {
  // Never destroyed: code may still be linked while the process exits.
  static auto *dump = new JitDump;
  return *dump;
}

bool JitDump::open() {
  if (process_ == getpid())
    return file_.get() >= 0 && (file_.is_still_ours() || open_again());
  process_ = getpid();
  file_ = base::FileHandle(-1);
  const auto directory = base::read_environment().dump_directory;
  if (!directory) {
    base::complain("no file for perf is written: neither JITDUMPDIR nor HOME says where");
    return false;
  }
  std::error_code error;
  const auto folder = std::filesystem::absolute(*directory, error) / ".debug" / "jit";
  path_ = folder / ("jit-" + std::to_string(process_) + ".dump");
  std::filesystem::create_directories(folder, error);
  std::filesystem::remove(path_, error); // of an earlier process with the same number
  auto file = base::open_to_append(path_, base::Devices::refused);
  if (!file) {
    base::complain(path_.string() + " is not written: " + file.error());
    return false;
  }
  std::string header;
  base::append_raw(header, Header{.process = static_cast<std::uint32_t>(process_), .time = now()});
  if (!write_all(file->get(), header) || !show_to_perf(path_)) {
    base::complain(path_.string() + " is not written: the system refuses to write or map it");
    return false;
  }
  file_ = std::move(*file);
  return true;
}

// perf has seen the mapping, and the file has its header.
bool JitDump::open_again() {
  const base::FileIdentity before = file_.identity();
  file_.forget();
  auto file = base::open_to_append(path_, base::Devices::refused);
  const bool is_the_same = file && file->identity() == before;
  base::report_descriptor_lost(ErrorCode::file_error, path_.string(),
                               is_the_same
                                   ? "and the file is opened again"
                                   : "the file is not there any more, and is not written to");
  if (is_the_same)
    file_ = std::move(*file);
  return is_the_same;
}

void JitDump::add(const Function &function) {
  const std::lock_guard lock(mutex_);
  if (!open())
    return;
  std::string record;
  if (!function.lines.empty()) {
    const std::string lines = lines_of(function);
    base::append_raw(record,
                     Lines{.bytes = static_cast<std::uint32_t>(sizeof(Lines) + lines.size()),
                           .time = now(),
                           .address = function.address,
                           .count = function.lines.size()});
    record += lines;
  }
  if (const std::string &tables = function.frames.bytes; !tables.empty()) {
    base::append_raw(
        record, Unwinding{.bytes = static_cast<std::uint32_t>(sizeof(Unwinding) + tables.size()),
                          .time = now(),
                          .table_bytes = tables.size(),
                          .header_bytes = function.frames.header_bytes,
                          .mapped_bytes = tables.size()});
    record += tables;
  }
  base::append_raw(
      record, CodeLoaded{.bytes = static_cast<std::uint32_t>(
                             sizeof(CodeLoaded) + function.name.size() + 1 + function.code.size()),
                         .time = now(),
                         .process = static_cast<std::uint32_t>(process_),
                         .thread = static_cast<std::uint32_t>(gettid()),
                         .address = function.address,
                         .runs_at = function.address,
                         .code_bytes = function.code.size(),
                         .index = pieces_++});
  record += function.name;
  record += '\0';
  record += function.code;
  (void)write_all(file_.get(), record);
}

} // namespace sartor::runtime
