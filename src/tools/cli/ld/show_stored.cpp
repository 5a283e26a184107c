// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld/show_stored.h"

#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "loader/lib/file/hexadecimal.h"
#include "loader/lib/file/static_probes.h"
#include "loader/lib/image/image_notes.h"
#include "tools/cli/layout.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;
using loader::hexadecimal;
using loader::LibraryNote;
using loader::StaticProbe;

Json json_of(const std::vector<LibraryNote> &libraries, const std::vector<StaticProbe> &probes) {
  Json json{{"libraries", Json::array()}, {"static_probes", Json::array()}};
  for (const LibraryNote &library : libraries) {
    Json segments = Json::array();
    for (const loader::SegmentNote &segment : library.segments)
      segments.push_back(
          {{"offset", segment.offset}, {"address", segment.address}, {"size", segment.size}});
    json["libraries"].push_back({{"name", library.name},
                                 {"path", library.path},
                                 {"build_id", library.build_id},
                                 {"segments", segments}});
  }
  for (const StaticProbe &probe : probes)
    json["static_probes"].push_back({{"provider", probe.provider},
                                     {"name", probe.name},
                                     {"offset", probe.address},
                                     {"semaphore", probe.semaphore}});
  return json;
}

std::string text_of(const std::vector<LibraryNote> &libraries,
                    const std::vector<StaticProbe> &probes) {
  std::string text;
  for (const LibraryNote &library : libraries) {
    text += library.path + "\n  " + library.name + ", build id " +
            (library.build_id.empty() ? "none" : library.build_id) + "\n";
    std::vector<std::vector<std::string>> rows;
    for (const loader::SegmentNote &segment : library.segments)
      rows.push_back({"  " + hexadecimal(segment.offset),
                      hexadecimal(segment.offset + segment.size), "from address",
                      hexadecimal(segment.address)});
    text += table(rows);
  }
  for (const StaticProbe &probe : probes)
    text += std::string("probe ").append(probe.provider).append(":").append(probe.name) + " at " +
            hexadecimal(probe.address) +
            (probe.semaphore == 0 ? "\n" : ", semaphore at " + hexadecimal(probe.semaphore) + "\n");
  return text;
}

} // namespace

bool show_stored_image(const loader::ElfFile &file, bool json) {
  const auto libraries = loader::library_notes(file);
  if (libraries.empty())
    return false;
  const auto probes = loader::static_probes(file);
  if (json)
    std::cout << json_of(libraries, probes).dump(-1, ' ', false, Json::error_handler_t::replace)
              << '\n';
  else
    std::cout << text_of(libraries, probes);
  return true;
}

} // namespace sartor::cli
