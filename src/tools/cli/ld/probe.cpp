// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld/probe.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <system_error>

#include <elf.h>

#include "loader/lib/file/hexadecimal.h"
#include "loader/lib/file/named_symbols.h"
#include "loader/lib/file/static_probes.h"
#include "loader/lib/image/written_image.h"
#include "tools/cli/layout.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;
using loader::hexadecimal;

std::uint64_t offset_of(const loader::ElfFile &file, std::uint64_t address) {
  const auto segment =
      std::ranges::find_if(file.segments(), [&](const auto &each) { return each.holds(address); });
  return segment == file.segments().end() ? 0 : address - segment->address + segment->offset;
}

/// Quotes a path for bpftrace.
std::string quoted(const fs::path &path) {
  const std::string &text = path.native();
  return text.find_first_of(" \t\"'\\$&;()<>|*?[]#~") == text.npos ? text : '"' + text + '"';
}

/// Quotes a word for a shell.
std::string quoted_for_shell(const std::string &word) {
  constexpr const char *plain =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos)
    return word;
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

/// Returns the images that can be read, by path. `sartor ld check` deletes others.
std::vector<fs::path> images_in(const fs::path &directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(directory, error))
    if (entry.path().extension() == ".image")
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
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
    : command_(ld.add_subcommand("probe", "Print the files and offsets at which tracers find a "
                                          "function or a static probe.")) {
  command_->add_option("LIBRARY", library_, "A library or program")->required();
  command_
      ->add_option("SYMBOL", symbol_,
                   "A function: NAME or NAME@VERSION; or a static probe: PROVIDER:PROBE")
      ->required();
  command_->add_option("PROGRAM", program_, "Only in images of this program, after --");
  command_->add_option("--images", directory_,
                       "The directory of images (default: as for sartor-ld)");
  command_
      ->add_option("--format", format_,
                   "offset: FILE:0xOFFSET, with (0xSEMAPHORE) if there is one; bpftrace: probes; "
                   "perf: commands (default: offset)")
      ->check(CLI::IsMember({"offset", "bpftrace", "perf"}));
  add_example(*command_, "sartor ld probe /lib/x86_64-linux-gnu/libc.so.6 malloc");
}

std::vector<LdProbeCommand::Point> LdProbeCommand::probe_points(const loader::ElfFile &file) const {
  std::vector<Point> points;
  for (const loader::StaticProbe &probe : loader::static_probes(file))
    if (std::string(probe.provider).append(":").append(probe.name) == symbol_)
      points.push_back({probe.address, probe.semaphore});
  return points;
}

Result<std::vector<LdProbeCommand::Point>>
LdProbeCommand::points(const loader::ElfFile &library) const {
  if (is_static_probe()) {
    auto points = probe_points(library);
    if (points.empty())
      return std::unexpected(Failure{ErrorCode::bad_elf, library.name(),
                                     "has no static probe " + symbol_, "see readelf --notes"});
    return points;
  }
  std::vector<Point> points;
  bool is_indirect = false;
  for (const loader::NamedSymbol &symbol : loader::named_symbols(library)) {
    std::string name(symbol.name);
    if (!symbol.version.empty())
      name.append("@").append(symbol.version);
    if (name != symbol_)
      continue;
    is_indirect |= symbol.type == STT_GNU_IFUNC;
    if (symbol.type == STT_FUNC && offset_of(library, symbol.address) != 0)
      points.push_back({symbol.address, 0});
  }
  if (points.empty() && is_indirect)
    return std::unexpected(Failure{ErrorCode::bad_elf, library.name(),
                                   "chooses one of several functions for " + symbol_,
                                   "name that function: see nm"});
  if (points.empty())
    return std::unexpected(Failure{ErrorCode::bad_elf, library.name(), "has no function " + symbol_,
                                   "see sartor ld show --json, or nm"});
  return points;
}

Result<std::vector<LdProbeCommand::Place>>
LdProbeCommand::places_in_images(const loader::ElfFile &library,
                                 const std::vector<Point> &points) const {
  const auto identity = loader::identity_of(library.name());
  const auto of_program = loader::identity_of(program_);
  if (!program_.empty() && of_program == loader::format::FileIdentity{})
    return std::unexpected(
        Failure{ErrorCode::file_error, program_, "cannot be found", "name a program by its path"});
  std::vector<Place> places;
  for (const fs::path &path :
       images_in(directory_.empty() ? image_directory() : fs::path(directory_))) {
    const auto image = loader::WrittenImage::read(path);
    if (!image || (!program_.empty() &&
                   (image->files().empty() || image->files().front().identity != of_program)))
      continue;
    std::vector<std::uint64_t> offsets;
    for (const Point &point : points)
      if (const auto place = image->place_of(library, identity, point.address);
          place && place->path == path)
        offsets.push_back(place->offset);
    if (offsets.empty())
      continue;
    if (!is_static_probe()) { // an image's addresses are offsets
      for (const std::uint64_t offset : offsets)
        places.push_back({path, offset, 0, offset});
      continue;
    }
    const auto file = loader::ElfFile::open(path);
    if (!file)
      return std::unexpected(file.error());
    for (const Point &point : probe_points(*file))
      if (std::ranges::find(offsets, point.address) != offsets.end())
        places.push_back({path, point.address, point.semaphore, point.address});
  }
  if (!program_.empty() && places.empty())
    return std::unexpected(
        Failure{ErrorCode::file_error, program_,
                "has no image that contains " + symbol_ + " of " + library.name(),
                "start it with sartor-ld before"});
  return places;
}

std::string LdProbeCommand::line_of(const Place &place) const {
  if (format_ == "bpftrace") {
    const std::string path = quoted(place.path);
    return is_static_probe() ? "usdt:" + path + ":" + symbol_
                             : "uprobe:" + path + ":" + hexadecimal(place.address);
  }
  if (format_ == "perf") {
    const std::string path = quoted_for_shell(place.path);
    return is_static_probe() ? "perf buildid-cache --add " + path + " && perf probe -x " + path +
                                   " " + quoted_for_shell("%sdt_" + symbol_)
                             : "perf probe -x " + path + " " + hexadecimal(place.address);
  }
  return place.path.string() + ":" + hexadecimal(place.offset) +
         (place.semaphore == 0 ? "" : "(" + hexadecimal(place.semaphore) + ")");
}

Result<void> LdProbeCommand::run() const {
  std::error_code error;
  const fs::path path = fs::canonical(library_, error);
  const auto file = loader::ElfFile::open(error ? fs::path(library_) : path);
  if (!file)
    return std::unexpected(file.error());
  const auto found = points(*file);
  if (!found)
    return std::unexpected(found.error());
  std::vector<Place> places;
  if (program_.empty())
    for (const Point &point : *found)
      places.push_back({path, offset_of(*file, point.address),
                        point.semaphore == 0 ? 0 : offset_of(*file, point.semaphore),
                        point.address});
  const auto in_images = places_in_images(*file, *found);
  if (!in_images)
    return std::unexpected(in_images.error());
  places.insert(places.end(), in_images->begin(), in_images->end());
  std::vector<std::string> lines;
  for (const Place &place : places)
    if (const std::string line = line_of(place); std::ranges::find(lines, line) == lines.end())
      lines.push_back(line);
  std::cout << joined(lines, "\n") << '\n';
  return {};
}

} // namespace sartor::cli
