// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/stored_image.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text/json.h"

namespace sartor::core {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic("SARTOR\0\2", 8);

struct Header {
  char magic[8];
  std::uint64_t info_bytes;
  std::uint64_t image_bytes;
  base::ContentKey key;
  base::ContentKey checksum;
};
static_assert(sizeof(Header) == 88);

base::ContentKey checksum_of(const Header &header, std::string_view info, std::string_view image) {
  return base::hash_of(
      {{reinterpret_cast<const char *>(&header), offsetof(Header, checksum)}, info, image});
}

std::unexpected<Failure> damaged(std::string why) {
  return std::unexpected(Failure{ErrorCode::file_error, "", std::move(why),
                                 "the code is compiled again and the file replaced"});
}

} // namespace

std::string pack_stored(const base::ContentKey &key, const StoredInfo &info,
                        std::string_view image) {
  const std::string text = dump({{"variant", info.variant},
                                 {"handler", info.handler},
                                 {"source", info.source},
                                 {"tier", info.tier},
                                 {"cpu", info.cpu},
                                 {"llvm", info.llvm},
                                 {"sartor", info.sartor},
                                 {"made", info.made}});
  Header header{};
  std::ranges::copy(kMagic, header.magic);
  header.info_bytes = text.size();
  header.image_bytes = image.size();
  header.key = key;
  header.checksum = checksum_of(header, text, image);
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  bytes.reserve(bytes.size() + text.size() + image.size());
  bytes += text;
  bytes += image;
  return bytes;
}

Result<StoredImage> unpack_stored(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header)
    return damaged("is too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::string_view(header.magic, sizeof header.magic) != kMagic)
    return damaged("is not a file of Sartor's cache, or of another version's");
  const std::string_view rest = bytes.substr(sizeof header);
  if (header.info_bytes > rest.size() || header.image_bytes != rest.size() - header.info_bytes)
    return damaged("is not as long as it should be");
  const StoredImage stored{header.key, rest.substr(0, header.info_bytes),
                           rest.substr(header.info_bytes)};
  if (header.checksum != checksum_of(header, stored.info, stored.image))
    return damaged("is damaged: its checksum is another");
  return stored;
}

Result<StoredInfo> read_info(std::string_view json) {
  const auto read = parse_json(json);
  if (!read)
    return std::unexpected(
        Failure{ErrorCode::bad_json, "", read.error().message, "remove the file"});
  try {
    const auto &fields = *read;
    return StoredInfo{fields.at("variant"), fields.at("handler"), fields.at("source"),
                      fields.at("tier"),    fields.at("cpu"),     fields.at("llvm"),
                      fields.at("sartor"),  fields.at("made")};
  } catch (const nlohmann::json::exception &error) {
    return std::unexpected(Failure{ErrorCode::bad_json, "", error.what(), "remove the file"});
  }
}

} // namespace sartor::core
