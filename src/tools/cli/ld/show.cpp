// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld/show.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/hexadecimal.h"
#include "loader/lib/file/static_probes.h"
#include "loader/lib/image/image_notes.h"
#include "loader/lib/image/prelink_image.h"
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

/// `sartor ld show IMAGE`: prints the libraries in a stored image: names, build ids, segments; and
/// static probes. Returns false if the file is none.
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

using Json = nlohmann::ordered_json;
using loader::CallSite;
using loader::Library;

constexpr CallSite::Kind all_kinds[] = {CallSite::Kind::call_stub,    CallSite::Kind::jump_stub,
                                        CallSite::Kind::jump_stub_if, CallSite::Kind::call_slot,
                                        CallSite::Kind::jump_slot,    CallSite::Kind::load_slot};

std::string letters(const loader::Protection &protection) {
  return std::string(protection.read ? "r" : "-") + (protection.write ? "w" : "-") +
         (protection.execute ? "x" : "-");
}

std::string kibibytes(std::uint64_t size) { return std::to_string((size + 1023) / 1024); }

std::string address_text(std::uint64_t address) {
  std::array<char, 24> text;
  return {text.data(),
          static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%#10llx",
                                                 static_cast<unsigned long long>(address)))};
}

std::uint64_t bytes_of(const Library &library, bool (*chosen)(const loader::Protection &)) {
  std::uint64_t size = 0;
  for (const loader::Segment &segment : library.file.segments())
    size += chosen(segment.protection) ? segment.memory_size : 0;
  return size;
}

const char *kind_of(const Library &library) {
  const auto &dynamic = library.file.dynamic();
  if (!dynamic)
    return "static program";
  return dynamic->is_pie || !library.file.is_relocatable() ? "program" : "library";
}

/// Programs are not packed together with libraries, whatever they contain.
bool is_library(const Library &library) { return std::string_view(kind_of(library)) == "library"; }

std::string text_of(const loader::PrelinkImage &image) {
  std::vector<std::vector<std::string>> rows{{"TEXT KiB", "DATA KiB", "SYMBOLS", "RELOCATIONS",
                                              "FUNCTIONS", "CALL SITES", "UNDECODED", "FILE"}};
  for (const Library &library : image.libraries)
    rows.push_back(
        {kibibytes(bytes_of(library, [](const loader::Protection &of) { return of.execute; })),
         kibibytes(bytes_of(library, [](const loader::Protection &of) { return of.write; })),
         std::to_string(library.file.symbols().size()),
         std::to_string(library.file.relocations().size()),
         std::to_string(library.code.functions().size()), std::to_string(library.code.sites.size()),
         std::to_string(library.code.undecoded.size()), library.path.string()});
  std::string text = table(rows);
  for (const std::string &name : image.missing)
    text += "missing: " + name + "\n";
  for (const Library &library : image.libraries) {
    text += "\n" + library.path.string() + "\n";
    text += std::string("  ") + kind_of(library) + ", build id " +
            (library.file.build_id().empty() ? "none" : library.file.build_id()) + "\n";
    for (const loader::Segment &segment : library.file.segments()) {
      std::vector<std::string> sections;
      for (const loader::Section &section : library.file.sections())
        if (section.size > 0 && segment.holds(section.address))
          sections.push_back(section.name);
      text += "  " + address_text(segment.address) + " " +
              address_text(segment.address + segment.memory_size) + "  " +
              letters(segment.protection) + "  " + joined(sections, " ") + "\n";
    }
    std::vector<std::string> counts;
    for (const CallSite::Kind kind : all_kinds)
      if (const auto count = std::ranges::count(library.code.sites, kind, &CallSite::kind))
        counts.push_back(std::to_string(count) + " " + to_string(kind));
    if (!counts.empty())
      text += "  " + joined(counts) + "\n";
    if (is_library(library) && !library.unmovable.empty())
      text += "  not packed: " + library.unmovable + "\n";
  }
  return text;
}

const char *name_of(loader::Binding binding) {
  switch (binding) {
  case loader::Binding::local:
    return "local";
  case loader::Binding::global:
    return "global";
  case loader::Binding::weak:
    return "weak";
  case loader::Binding::unique:
    return "unique";
  }
  std::unreachable();
}

Json json_of(const loader::Symbol &symbol) {
  Json json{{"name", symbol.name}};
  if (!symbol.version.empty())
    json.update({{"version", symbol.version}, {"default", symbol.is_default_version}});
  json.update({{"binding", name_of(symbol.binding)},
               {"type", symbol.type},
               {"visibility", symbol.visibility},
               {"defined", symbol.is_defined},
               {"address", symbol.address},
               {"size", symbol.size}});
  return json;
}

template <class Range, class Make> Json array_of(const Range &range, Make &&make) {
  Json json = Json::array();
  std::ranges::transform(range, std::back_inserter(json), std::forward<Make>(make));
  return json;
}

Json json_of(const Library &library) {
  const loader::ElfFile &file = library.file;
  Json json{{"path", library.path.string()},
            {"kind", kind_of(library)},
            {"build_id", file.build_id()},
            {"entry", file.entry()},
            {"tls_size", file.tls_size()}};
  if (const auto &dynamic = file.dynamic())
    json.update({{"name", dynamic->name},
                 {"needed", dynamic->needed},
                 {"rpath", dynamic->rpath},
                 {"runpath", dynamic->runpath}});
  json["segments"] = array_of(file.segments(), [](const loader::Segment &segment) {
    return Json{{"address", segment.address},     {"memory_size", segment.memory_size},
                {"offset", segment.offset},       {"file_size", segment.file_size},
                {"alignment", segment.alignment}, {"protection", letters(segment.protection)}};
  });
  json["sections"] = array_of(file.sections(), [](const loader::Section &section) {
    return Json{{"name", section.name},
                {"address", section.address},
                {"size", section.size},
                {"protection", letters(section.protection)}};
  });
  json["symbols"] =
      array_of(file.symbols(), [](const loader::Symbol &symbol) { return json_of(symbol); });
  json["relocations"] = array_of(file.relocations(), [](const loader::Relocation &relocation) {
    return Json{{"address", relocation.address},
                {"type", relocation.type},
                {"symbol", relocation.symbol},
                {"addend", relocation.addend}};
  });
  json["call_sites"] = array_of(library.code.sites, [](const CallSite &site) {
    return Json{{"address", site.address},
                {"kind", to_string(site.kind)},
                {"size", site.size},
                {"slot", site.slot},
                {"relocation", site.relocation}};
  });
  if (is_library(library))
    json["unmovable"] = library.unmovable;
  json["undecoded"] = array_of(library.code.undecoded, [](const loader::CodeRange &range) {
    return Json{{"begin", range.begin}, {"end", range.end}};
  });
  return json;
}

} // namespace

Result<void> show_image(const std::string &program, bool json) {
  if (const auto file = loader::ElfFile::open(program); file && show_stored_image(*file, json))
    return {};
  const auto image = loader::image_of(program);
  if (!image)
    return std::unexpected(image.error());
  if (json)
    std::cout << Json{{"libraries", array_of(image->libraries,
                                             [](const Library &each) { return json_of(each); })},
                      {"missing", image->missing}}
                     .dump(-1, ' ', false, Json::error_handler_t::replace)
              << '\n';
  else
    std::cout << text_of(*image);
  return {};
}

} // namespace sartor::cli
