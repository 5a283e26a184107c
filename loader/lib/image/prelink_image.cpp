// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/prelink_image.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include <elf.h>
#include <fcntl.h>

#include "base/file/file_handle.h"
#include "loader/lib/decode/data_references.h"
#include "loader/lib/format/image_format.h"
#include "loader/lib/image/proofs.h"
#include "loader/lib/stock/stock_loader.h"
#include "loader/lib/stock/stock_process.h"

namespace sartor::loader {

namespace {

void find_shape(Library &library) {
  auto memory = LibraryMemory::of(library.file);
  if (memory)
    library.memory = std::move(*memory);
  if (library.is_stock_loader) {
    library.unmovable = "it is the stock loader";
    return;
  }
  if (!library.memory) {
    library.unmovable = std::string("its segments are of an unknown shape: ") + memory.error();
    return;
  }
  if (library.memory->alignment > format::huge_page ||
      !std::has_single_bit(library.memory->alignment)) {
    library.unmovable = "it is aligned to more than 2 MiB";
    return;
  }
  // Packed libraries leave room for the range of their data in the file.
  constexpr std::uint64_t much_data = 1U << 20;
  const std::uint64_t data = library.memory->data_end - library.memory->data_begin;
  if (data > std::max<std::uint64_t>(much_data, library.memory->readonly.size())) {
    library.unmovable = "it has more data than code";
    return;
  }
  // Packed constants would be read together with the code of other libraries.
  constexpr std::uint64_t many_constants = 1U << 20;
  std::uint64_t code = 0;
  for (const Segment &segment : library.file.segments())
    code += segment.protection.execute ? segment.memory_size : 0;
  if (library.memory->readonly.size() > many_constants &&
      library.memory->readonly.size() / 16 > code) {
    library.unmovable = "it has hardly any code";
    return;
  }
  auto references = data_references(library.file, library.code);
  if (references)
    library.data_references = std::move(*references);
  else
    library.unmovable = references.error().message;
}

/// Finds the library at an address of the stock process.
class Finder {
public:
  Finder(const PrelinkImage &image, const std::vector<std::uint64_t> &bases) {
    for (std::size_t i = 0; i < bases.size(); ++i)
      for (const Segment &segment : image.libraries[i].file.segments())
        ranges_.push_back({bases[i] + segment.address,
                           bases[i] + segment.address + segment.memory_size, i, bases[i]});
    std::ranges::sort(ranges_, {}, &Range::begin);
  }
  [[nodiscard]] std::optional<Target> find(std::uint64_t address) const {
    const auto next = std::ranges::upper_bound(ranges_, address, {}, &Range::begin);
    if (next == ranges_.begin())
      return std::nullopt;
    const Range &range = *std::prev(next);
    if (address >= range.end)
      return std::nullopt;
    return Target{range.library, address - range.base};
  }

private:
  struct Range {
    std::uint64_t begin, end;
    std::size_t library;
    std::uint64_t base;
  };
  std::vector<Range> ranges_;
};

/// True if a slot is not bound yet: until its first use, it leads into its own library.
bool is_unbound(const Library &library, const Relocation &relocation, std::uint64_t base,
                std::uint64_t value) {
  const auto content = library.file.at(relocation.address, sizeof value);
  if (relocation.type != R_X86_64_JUMP_SLOT || !content)
    return false;
  std::uint64_t in_file;
  std::memcpy(&in_file, content->data(), sizeof in_file);
  return value == base + in_file;
}

/// Checks whether an indirect function resolves to the same target at each start. Resolvers may
/// depend on anything; those of the C library are known to depend on the processor and on tunables,
/// which are part of an image's key.
class Resolved {
public:
  explicit Resolved(const PrelinkImage &image) {
    for (const Library &library : image.libraries)
      if (!is_of_c_library(library))
        for (const Symbol &symbol : library.file.symbols())
          if (symbol.is_defined && symbol.type == STT_GNU_IFUNC)
            names_.insert(symbol.name);
  }
  [[nodiscard]] bool may_differ(const Library &library, const Relocation &relocation) const {
    if (relocation.type == R_X86_64_IRELATIVE)
      return !is_of_c_library(library);
    const auto &symbols = library.file.symbols();
    return relocation.symbol < symbols.size() && names_.contains(symbols[relocation.symbol].name);
  }

private:
  static bool is_of_c_library(const Library &library) {
    constexpr std::array own = {"libc.so.6", "libm.so.6", "libmvec.so.1", "libpthread.so.0",
                                "librt.so.1"};
    const auto &dynamic = library.file.dynamic();
    return library.is_stock_loader ||
           (dynamic && std::ranges::find(own, dynamic->name) != own.end());
  }
  std::set<std::string_view> names_;
};

void find_targets(PrelinkImage &image, const std::vector<std::uint64_t> &bases,
                  const StockProcess &process) {
  const Finder finder(image, bases);
  const Resolved resolved(image);
  for (std::size_t i = 0; i < image.libraries.size(); ++i) {
    Library &library = image.libraries[i];
    for (const CallSite &site : library.code.sites) {
      if (library.targets.contains(site.relocation) ||
          resolved.may_differ(library, library.file.relocations()[site.relocation]))
        continue;
      const auto value = process.word(bases[i] + site.slot);
      if (!value ||
          is_unbound(library, library.file.relocations()[site.relocation], bases[i], *value))
        continue;
      if (const auto target = finder.find(*value))
        library.targets.emplace(site.relocation, *target);
    }
  }
}

bool is_vdso(const Placed &placed) {
  return placed.path.find('/') == std::string::npos && !placed.path.empty();
}

std::vector<std::uint64_t> bases_of(const StockProcess &process) {
  std::vector<std::uint64_t> bases;
  for (const Placed &placed : process.libraries())
    if (!is_vdso(placed))
      bases.push_back(placed.base);
  return bases;
}

/// Returns the files at the paths that a process has loaded, as they are now.
std::vector<KnownFile> files_of(const StockProcess &process, const std::filesystem::path &program) {
  std::vector<KnownFile> files;
  for (const Placed &placed : process.libraries()) {
    if (is_vdso(placed))
      continue;
    const auto path = std::filesystem::absolute(
        placed.path.empty() ? program : std::filesystem::path(placed.path));
    files.push_back({path, identity_of(path)});
  }
  return files;
}

/// True if the paths still lead to files that the process has mapped. Inode numbers are not
/// compared: file systems in layers report different ones.
bool is_mapped(const std::vector<KnownFile> &files, const StockProcess &process) {
  const std::set<std::string> mapped = process.mapped_files();
  return std::ranges::all_of(files, [&](const KnownFile &file) {
    std::error_code error;
    const std::string path = std::filesystem::canonical(file.path, error).string();
    return mapped.contains(path) || path.contains('\n'); // which the kernel escapes
  });
}

/// True if a file may have changed since the process was started. Some file systems count whole
/// seconds.
bool is_recent(const std::vector<KnownFile> &files, const StockProcess &process) {
  constexpr std::uint64_t second = 1'000'000'000;
  return std::ranges::any_of(files, [&](const KnownFile &file) {
    return file.identity.changed + second >= process.started();
  });
}

} // namespace

Result<Library> library_of(const std::filesystem::path &path, const std::filesystem::path &loader) {
  // The identity and the content are those of one file, even if the path is changed meanwhile.
  const base::FileHandle opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const format::FileIdentity identity = identity_of(opened.get());
  auto file = opened.get() < 0 ? ElfFile::open(path) : ElfFile::read(opened.get(), path);
  if (!file)
    return std::unexpected(std::move(file.error()));
  auto code = find_call_sites(*file);
  if (!code)
    return std::unexpected(std::move(code.error()));
  Library library{
      .path = path, .file = std::move(*file), .code = std::move(*code), .identity = identity};
  // The identity is not compared, because it changes when a link to the file is created meanwhile.
  std::error_code error;
  library.is_stock_loader = std::filesystem::equivalent(path, loader, error);
  find_shape(library);
  library.code.operands = {}; // operands are large and no longer needed
  return library;
}

std::vector<KnownFile> files_of(const PrelinkImage &image) {
  std::vector<KnownFile> files;
  for (const Library &library : image.libraries)
    files.push_back({library.path, library.identity});
  files.insert(files.end(), image.changes.files.begin(), image.changes.files.end());
  return files;
}

Result<PrelinkImage> image_of(const std::filesystem::path &program) {
  PrelinkImage image;
  const auto add = [&](const std::filesystem::path &path) -> Result<void> {
    auto library = library_of(path);
    if (!library)
      return std::unexpected(std::move(library.error()));
    image.libraries.push_back(std::move(*library));
    return {};
  };
  if (auto added = add(program); !added)
    return std::unexpected(std::move(added.error()));
  const ElfFile &file = image.libraries.front().file;
  if (!file.dynamic())
    return image;
  if (!file.interpreter().empty() && file.interpreter() != stock_loader)
    return std::unexpected(Failure{
        ErrorCode::bad_elf, program.string(), "asks for another loader: " + file.interpreter(),
        std::string("only programs of ") + stock_loader + " can be looked at"});
  auto list = list_libraries(program);
  if (!list)
    return std::unexpected(std::move(list.error()));
  for (const std::filesystem::path &path : list->found)
    if (auto added = add(path); !added)
      return std::unexpected(std::move(added.error()));
  image.missing = std::move(list->missing);
  return image;
}

Result<PrelinkImage> bound_image_of(const std::filesystem::path &program,
                                    const std::string &preload) {
  std::vector<KnownFile> before;
  constexpr int attempts = 4;
  for (int i = 0; i < attempts; ++i) {
    auto process = StockProcess::start(program, preload);
    if (!process)
      return std::unexpected(std::move(process.error()));
    const std::vector<KnownFile> files = files_of(*process, program);
    if (!is_mapped(files, *process) || (is_recent(files, *process) && files != before)) {
      before = files;
      continue;
    }
    PrelinkImage image;
    for (const KnownFile &file : files) {
      auto library = library_of(file.path, process->loader());
      if (!library)
        return std::unexpected(std::move(library.error()));
      image.libraries.push_back(std::move(*library));
    }
    if (files_of(image) != files) {
      before.clear();
      continue;
    }
    const std::vector<std::uint64_t> bases = bases_of(*process);
    find_targets(image, bases, *process);
    find_proofs(image, bases, *process);
    image.changes.libraries.resize(image.libraries.size());
    return image;
  }
  return std::unexpected(Failure{ErrorCode::file_error, program.string(),
                                 "one of its files has been replaced while it was planned",
                                 "start it again when its files no longer change"});
}

} // namespace sartor::loader
