// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/pack.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace sartor::image {

namespace {

static_assert(std::endian::native == std::endian::little);

// The number is raised when images look different.
constexpr std::string_view kMagic("SARTIMG\2", 8);
constexpr std::size_t kFillBytes = 8 + 8 + 4 + 4;

class Writer {
public:
  template <class T> void number(T value) {
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number<std::uint64_t>(text.size());
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_{kMagic};
};

/// Once it has come to the end too early, all that is read is empty.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class T> T number() {
    T value{};
    if (const auto bytes = take(sizeof value); !bytes.empty())
      bytes.copy(reinterpret_cast<char *>(&value), sizeof value);
    return value;
  }
  std::string_view text() { return take(number<std::uint64_t>()); }
  /// How many things follow that take at least so many bytes each.
  std::uint64_t count(std::size_t bytes_each) {
    const auto count = number<std::uint64_t>();
    good_ = good_ && count <= rest_.size() / bytes_each;
    return good_ ? count : 0;
  }
  std::string_view take(std::uint64_t bytes) {
    good_ = good_ && bytes <= rest_.size();
    if (!good_)
      return {};
    const auto taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  [[nodiscard]] bool is_at_end() const { return good_ && rest_.empty(); }

private:
  std::string_view rest_;
  bool good_ = true;
};

std::unexpected<Failure> damaged(const char *why) {
  return std::unexpected(Failure{ErrorCode::file_error, "an image", why, "make it anew"});
}

bool is_within(std::uint64_t begin, std::uint64_t bytes, std::uint64_t all) {
  return begin <= all && bytes <= all - begin;
}

std::size_t bytes_of(FillKind kind) { return kind == FillKind::address ? 8 : 4; }

// A load is rewritten from the two bytes before it on.
bool is_good(const Fill &fill, const Image &image) {
  if (fill.kind > FillKind::load)
    return false;
  if (fill.symbol >= image.symbols.size() && fill.symbol != kOwnCode && fill.symbol != kOwnData)
    return false;
  const std::uint64_t code = image.code.size();
  const std::size_t bytes = bytes_of(fill.kind);
  if (fill.kind == FillKind::load && (fill.at < 2 || fill.at > code))
    return false;
  return is_within(fill.at, bytes, code) ||
         (fill.at >= code && is_within(fill.at - code, bytes, image.data.size()));
}

// Whoever walks the table stops there (Linux Standard Base, "Exception Frames").
bool ends_with_mark(const Image &image) {
  static constexpr std::string_view kMark("\0\0\0\0", 4);
  return image.unwind_bytes == 0 ||
         std::string_view(image.code).substr(image.unwind, image.unwind_bytes).ends_with(kMark);
}

const char *problem_of(const Image &image) {
  if (!std::has_single_bit(image.alignment) || image.alignment > kMostAlignment)
    return "has an alignment that there is not";
  if (image.zeroed > std::numeric_limits<std::uint32_t>::max())
    return "wants more memory than code may have";
  if (image.entry >= image.code.size())
    return "has its entry outside of its code";
  if (!is_within(image.unwind, image.unwind_bytes, image.code.size()))
    return "has its unwind table outside of its code";
  if (!ends_with_mark(image))
    return "has an unwind table without an end";
  if (!std::ranges::all_of(image.fills, [&](const Fill &fill) { return is_good(fill, image); }))
    return "has something to be filled in where it may not";
  if (!std::ranges::all_of(image.functions, [&](const Function &function) {
        return is_within(function.begin, function.bytes, image.code.size());
      }))
    return "has a function outside of its code";
  return nullptr;
}

} // namespace

std::string pack(const Image &image) {
  Writer writer;
  writer.text(image.name);
  writer.text(image.code);
  writer.text(image.data);
  writer.number(image.zeroed);
  writer.number(image.alignment);
  writer.number(image.entry);
  writer.number(image.unwind);
  writer.number(image.unwind_bytes);
  writer.number<std::uint64_t>(image.symbols.size());
  for (const Symbol &symbol : image.symbols) {
    writer.text(symbol.name);
    writer.number<std::uint8_t>(symbol.may_be_missing ? 1 : 0);
  }
  writer.number<std::uint64_t>(image.fills.size());
  for (const Fill &fill : image.fills) {
    writer.number(fill.at);
    writer.number(fill.addend);
    writer.number(fill.symbol);
    writer.number(static_cast<std::uint32_t>(fill.kind));
  }
  writer.number<std::uint64_t>(image.functions.size());
  for (const Function &function : image.functions) {
    writer.text(function.name);
    writer.number(function.begin);
    writer.number(function.bytes);
  }
  writer.number<std::uint64_t>(image.remarks.size());
  for (const std::string &remark : image.remarks)
    writer.text(remark);
  return writer.take();
}

Result<Image> unpack(std::string_view bytes) {
  Reader reader(bytes);
  if (reader.take(kMagic.size()) != kMagic)
    return damaged("is none, or of another version of Sartor");
  Image image;
  image.name = reader.text();
  image.code = reader.text();
  image.data = reader.text();
  image.zeroed = reader.number<std::uint64_t>();
  image.alignment = reader.number<std::uint32_t>();
  image.entry = reader.number<std::uint64_t>();
  image.unwind = reader.number<std::uint64_t>();
  image.unwind_bytes = reader.number<std::uint64_t>();
  for (auto left = reader.count(sizeof(std::uint64_t) + 1); left > 0; --left) {
    std::string name(reader.text());
    const auto may_be_missing = reader.number<std::uint8_t>();
    if (may_be_missing > 1)
      return damaged("has a symbol of no kind");
    image.symbols.push_back({std::move(name), may_be_missing != 0});
  }
  for (auto left = reader.count(kFillBytes); left > 0; --left) {
    Fill fill{};
    fill.at = reader.number<std::uint64_t>();
    fill.addend = reader.number<std::int64_t>();
    fill.symbol = reader.number<std::uint32_t>();
    const auto kind = reader.number<std::uint32_t>();
    fill.kind = static_cast<FillKind>(std::min<std::uint32_t>(kind, 0xff));
    image.fills.push_back(fill);
  }
  for (auto left = reader.count(3 * sizeof(std::uint64_t)); left > 0; --left) {
    std::string name(reader.text());
    const auto begin = reader.number<std::uint64_t>();
    image.functions.push_back({std::move(name), begin, reader.number<std::uint64_t>()});
  }
  for (auto left = reader.count(sizeof(std::uint64_t)); left > 0; --left)
    image.remarks.emplace_back(reader.text());
  if (!reader.is_at_end())
    return damaged("is not as long as it should be");
  if (const char *problem = problem_of(image))
    return damaged(problem);
  return image;
}

} // namespace sartor::image
