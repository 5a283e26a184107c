// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld_probe.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>
#include <system_error>

#include <elf.h>

#include "loader/lib/image/written_image.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;

std::string line_of(const loader::FilePlace &place) {
  std::ostringstream line;
  line << place.path.string() << ":0x" << std::hex << place.offset;
  return line.str();
}

/// Returns the address of a function; 0 if the file has no such function.
std::uint64_t address_of(const loader::ElfFile &file, const std::string &name) {
  for (const loader::Symbol &symbol : file.symbols())
    if (symbol.name == name && symbol.is_defined && symbol.type == STT_FUNC &&
        (symbol.version.empty() || symbol.is_default_version))
      return symbol.address;
  return 0;
}

} // namespace

fs::path image_directory() {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  const char *home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/')
    return fs::path(cache) / "sartor/ld";
  return home != nullptr && *home == '/' ? fs::path(home) / ".cache/sartor/ld"
                                         : fs::path("/var/cache/sartor/ld");
}

LdProbeCommand::LdProbeCommand(CLI::App &ld)
    : command_(ld.add_subcommand("probe",
                                 "Print the files and offsets at which uprobes find a function.")) {
  command_->add_option("LIBRARY", library_, "A library or program")->required();
  command_->add_option("SYMBOL", symbol_, "A function that it exports")->required();
  command_->add_option("DIRECTORY", directory_,
                       "The directory of images (default: as for sartor-ld)");
  add_example(*command_, "sartor ld probe /lib/x86_64-linux-gnu/libc.so.6 malloc");
}

Result<void> LdProbeCommand::run() const {
  std::error_code error;
  const fs::path path = fs::canonical(library_, error);
  const auto file = loader::ElfFile::open(error ? fs::path(library_) : path);
  if (!file)
    return std::unexpected(file.error());
  const std::uint64_t address = address_of(*file, symbol_);
  const auto segment =
      std::ranges::find_if(file->segments(), [&](const auto &each) { return each.holds(address); });
  if (address == 0 || segment == file->segments().end())
    return std::unexpected(Failure{ErrorCode::bad_elf, path.string(),
                                   "exports no function " + symbol_, "see sartor ld show --json"});
  std::cout << line_of({path, address - segment->address + segment->offset}) << '\n';
  std::set<std::string> lines;
  const fs::path directory = directory_.empty() ? image_directory() : fs::path(directory_);
  for (const auto &entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() != ".image")
      continue;
    const auto image = loader::WrittenImage::read(entry.path());
    if (!image)
      continue; // sartor ld check deletes it
    const auto place = image->place_of(*file, loader::identity_of(path), address);
    if (place && place->path == entry.path())
      lines.insert(line_of(*place));
  }
  for (const std::string &line : lines)
    std::cout << line << '\n';
  return {};
}

} // namespace sartor::cli
