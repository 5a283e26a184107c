// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/difference/difference.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/text/json.h"

namespace sartor::core {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr std::array kOutcomes{"returned", "threw", "crashed", "hung"};
constexpr std::array kComparisons{"pure", "writes", "isolated", "none"};
constexpr std::uint64_t kLargestFrame = 1U << 20U;

std::string hex(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) / 16];
    text += kDigits[static_cast<unsigned char>(byte) % 16];
  }
  return text;
}

Json pieces_json(const std::vector<MemoryPiece> &pieces, std::string &memory) {
  Json json = Json::array();
  for (const MemoryPiece &piece : pieces) {
    json.push_back(
        {{"address", piece.address}, {"bytes", piece.bytes.size()}, {"offset", memory.size()}});
    memory += piece.bytes;
  }
  return json;
}

Json side_json(const Difference::Side &side, std::string &memory) {
  return {{"outcome", kOutcomes.at(static_cast<std::size_t>(side.outcome.kind))},
          {"signal", side.outcome.signal},
          {"result", hex(side.result)},
          {"written", pieces_json(side.written, memory)}};
}

/// Reads a description. After a value that is missing or wrong, is_good() is false.
class Reader {
public:
  Reader(const Json &json, std::string_view memory) : json_(json), memory_(memory) {}

  [[nodiscard]] bool is_good() const { return why_.empty(); }
  [[nodiscard]] const std::string &why() const { return why_; }

  std::string text(const char *name) {
    const Json *value = find(name);
    return value && require(value->is_string(), name) ? value->get<std::string>() : std::string();
  }
  template <class T> T number(const char *name) {
    const Json *value = find(name);
    if (!value ||
        !require(std::is_signed_v<T> ? value->is_number_integer() : value->is_number_unsigned(),
                 name))
      return 0;
    const bool fits = value->is_number_unsigned() ? std::in_range<T>(value->get<std::uint64_t>())
                                                  : std::in_range<T>(value->get<std::int64_t>());
    return require(fits, name) ? static_cast<T>(value->get<std::int64_t>()) : T{0};
  }
  std::string bytes(const char *name) {
    const std::string digits = text(name);
    std::string bytes;
    const auto digit = [](char each) {
      return each >= '0' && each <= '9'   ? each - '0'
             : each >= 'a' && each <= 'f' ? each - 'a' + 10
                                          : -1;
    };
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      const int high = digit(digits[i]);
      const int low = digit(digits[i + 1]);
      if (!require(high >= 0 && low >= 0, name))
        return {};
      bytes += static_cast<char>(high * 16 + low);
    }
    return require(digits.size() % 2 == 0, name) ? bytes : std::string();
  }
  template <std::size_t n>
  std::size_t choice(const char *name, const std::array<const char *, n> &of) {
    const std::string wanted = text(name);
    const auto found =
        std::ranges::find(of, wanted, [](const char *each) { return std::string_view(each); });
    return require(found != of.end(), name) ? static_cast<std::size_t>(found - of.begin()) : 0;
  }
  /// Calls `read` with a reader of each element of a list.
  template <class Read> void list(const char *name, Read read) {
    const Json *value = find(name);
    if (!value || !require(value->is_array(), name))
      return;
    for (const Json &each : *value) {
      Reader reader(each, memory_);
      read(reader);
      take(reader, name);
    }
  }
  std::vector<MemoryPiece> pieces(const char *name) {
    std::vector<MemoryPiece> pieces;
    std::uint64_t end = 0;
    list(name, [&](Reader &each) {
      const auto address = each.number<std::uint64_t>("address");
      const auto bytes = each.number<std::uint64_t>("bytes");
      const auto offset = each.number<std::uint64_t>("offset");
      if (each.require(bytes > 0 && address >= end && address + bytes > address, "address") &&
          each.require(offset <= memory_.size() && bytes <= memory_.size() - offset, "offset"))
        pieces.push_back({address, std::string(memory_.substr(offset, bytes))});
      end = address + bytes;
    });
    return pieces;
  }
  Difference::Side side(const char *name, std::uint32_t result_bytes) {
    Difference::Side side;
    const Json *value = find(name);
    if (!value)
      return side;
    Reader reader(*value, memory_);
    side.outcome.kind = static_cast<CallOutcome::Kind>(reader.choice("outcome", kOutcomes));
    side.outcome.signal = reader.number<int>("signal");
    reader.require(side.outcome.signal >= 0 && side.outcome.signal <= 64, "signal");
    side.result = reader.bytes("result");
    reader.require(side.result.empty() || side.result.size() == result_bytes, "result");
    side.written = reader.pieces("written");
    take(reader, name);
    return side;
  }
  std::map<std::string, std::uint64_t> addresses(const char *name) {
    std::map<std::string, std::uint64_t> addresses;
    const Json *value = find(name);
    if (!value || !require(value->is_object(), name))
      return addresses;
    for (const auto &[key, address] : value->items())
      if (require(address.is_number_unsigned(), name))
        addresses.emplace(key, address.get<std::uint64_t>());
    return addresses;
  }
  bool require(bool holds, const std::string &name) {
    if (!holds && why_.empty())
      why_ = "has no valid \"" + name + "\"";
    return holds;
  }

private:
  const Json *find(const char *name) {
    if (!require(json_.is_object() && json_.contains(name), name))
      return nullptr;
    return &json_.at(name);
  }
  void take(const Reader &part, const std::string &name) {
    if (why_.empty() && !part.is_good())
      why_ = part.why() + " in \"" + name + "\"";
  }

  const Json &json_;
  std::string_view memory_;
  std::string why_;
};

} // namespace

std::string CallOutcome::text() const {
  if (kind != Kind::crashed)
    return kOutcomes.at(static_cast<std::size_t>(kind));
  const char *name = sigabbrev_np(signal);
  return "crashed with " + (name ? "SIG" + std::string(name) : "signal " + std::to_string(signal));
}

DifferenceFiles files_of(const Difference &difference) {
  DifferenceFiles files;
  Json regions = Json::array();
  for (const RegionForm &form : difference.regions)
    regions.push_back({{"parameter", form.parameter},
                       {"offset", form.offset},
                       {"inexact_floats", form.inexact_floats}});
  Json json{{"format", kFormat},
            {"program", difference.program},
            {"handler", difference.handler},
            {"variant", difference.variant},
            {"configuration", difference.configuration},
            {"compared", kComparisons.at(static_cast<std::size_t>(difference.compared))},
            {"time", difference.time},
            {"sartor", difference.sartor},
            {"llvm", difference.llvm},
            {"mutant", difference.mutant},
            {"frame", hex(difference.frame)},
            {"result_offset", difference.result_offset},
            {"result_bytes", difference.result_bytes},
            {"result_mask", hex(difference.result_mask)},
            {"inexact_floats", difference.inexact_floats},
            {"regions", std::move(regions)},
            {"addresses", difference.addresses}};
  json["memory"] = pieces_json(difference.memory, files.memory);
  json["native"] = side_json(difference.native, files.memory);
  json["changed"] = side_json(difference.changed, files.memory);
  files.description = dump(json) + "\n";
  return files;
}

Result<Difference> from_files(const std::string &name, std::string_view description,
                              std::string_view memory) {
  const auto bad = [&](const std::string &why) {
    return std::unexpected(Failure{ErrorCode::file_error, name, why,
                                   "name a directory that Sartor has written, unchanged"});
  };
  const auto json = parse_json(description);
  if (!json)
    return bad("is damaged: " + json.error().message);
  Reader reader(*json, memory);
  if (reader.number<int>("format") != kFormat && reader.is_good())
    return bad("has another format: it was written by another version of Sartor");
  Difference read;
  read.program = reader.text("program");
  read.handler = reader.text("handler");
  read.variant = reader.text("variant");
  read.configuration = reader.text("configuration");
  read.compared = static_cast<Comparison>(reader.choice("compared", kComparisons));
  read.time = reader.number<std::int64_t>("time");
  read.sartor = reader.text("sartor");
  read.llvm = reader.text("llvm");
  read.mutant = reader.text("mutant");
  read.frame = reader.bytes("frame");
  reader.require(read.frame.size() <= kLargestFrame, "frame");
  read.result_offset = reader.number<std::uint32_t>("result_offset");
  read.result_bytes = reader.number<std::uint32_t>("result_bytes");
  reader.require(read.result_offset <= read.frame.size() &&
                     read.result_bytes <= read.frame.size() - read.result_offset,
                 "result_bytes");
  read.result_mask = reader.bytes("result_mask");
  reader.require(read.result_mask.empty() || read.result_mask.size() == read.result_bytes,
                 "result_mask");
  const auto is_float = [](std::uint32_t bytes) { return bytes == 0 || bytes == 4 || bytes == 8; };
  read.inexact_floats = reader.number<std::uint32_t>("inexact_floats");
  reader.require(is_float(read.inexact_floats), "inexact_floats");
  reader.list("regions", [&](Reader &each) {
    const RegionForm form{each.number<std::uint32_t>("parameter"),
                          each.number<std::uint32_t>("offset"),
                          each.number<std::uint32_t>("inexact_floats")};
    each.require(form.offset <= read.frame.size() && read.frame.size() - form.offset >= 8 &&
                     is_float(form.inexact_floats),
                 "offset");
    read.regions.push_back(form);
  });
  read.addresses = reader.addresses("addresses");
  read.memory = reader.pieces("memory");
  read.native = reader.side("native", read.result_bytes);
  read.changed = reader.side("changed", read.result_bytes);
  if (!reader.is_good())
    return bad("is damaged: " + reader.why());
  return read;
}

} // namespace sartor::core
