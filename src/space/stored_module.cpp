// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "space/stored_module.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace sartor::point {

namespace {

static_assert(std::endian::native == std::endian::little);

// The number is raised when stored modules look different.
constexpr std::string_view kMagic("SARTMOD\1", 8);
constexpr std::size_t kHeaderBytes = kMagic.size() + sizeof(std::uint64_t);

// FNV-1a: no two texts that differ in one byte have the same.
std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : bytes)
    sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return sum;
}

class Writer {
public:
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void operator()(const T &value) {
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  template <class T> void choice(const T &value, T, T) { (*this)(value); }
  void operator()(const std::string &text) {
    (*this)(std::uint64_t{text.size()});
    bytes_ += text;
  }
  template <class T> void operator()(const std::optional<T> &value) {
    (*this)(value.has_value());
    if (value)
      fields(*this, *value);
  }
  template <class T> void list(const std::vector<T> &values) {
    (*this)(std::uint64_t{values.size()});
    for (const T &value : values)
      fields(*this, value);
  }

  void value(const Value &value) {
    const auto kind = static_cast<std::uint8_t>(value.is_symbol() ? 2 : value.is_floating());
    (*this)(kind);
    if (value.is_symbol()) {
      (*this)(value.symbol());
    } else if (value.is_floating()) {
      (*this)(value.floating());
    } else {
      (*this)(value.is_large());
      (*this)(value.bits());
    }
  }

  void space(const Space &space) { list(space.points()); }

  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// Once it has come to the end too early, or met what cannot be, all that is read is empty.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
    requires(std::is_arithmetic_v<T>)
  void operator()(T &value) {
    const std::string_view bytes = take(sizeof value);
    if constexpr (std::same_as<T, bool>) {
      good_ = good_ && (bytes[0] == 0 || bytes[0] == 1);
      value = good_ && bytes[0] != 0;
    } else if (good_) {
      bytes.copy(reinterpret_cast<char *>(&value), sizeof value);
    }
  }
  template <class T> void choice(T &value, T first, T last) {
    std::underlying_type_t<T> number{};
    (*this)(number);
    good_ = good_ && number >= std::to_underlying(first) && number <= std::to_underlying(last);
    if (good_)
      value = static_cast<T>(number);
  }
  void operator()(std::string &text) {
    std::uint64_t size = 0;
    (*this)(size);
    text = take(size);
  }
  template <class T> void operator()(std::optional<T> &value) {
    bool is_there = false;
    (*this)(is_there);
    if (is_there)
      fields(*this, value.emplace());
  }
  // Each takes a byte at least, so that no number makes more of them than there can be.
  template <class T> void list(std::vector<T> &values) {
    std::uint64_t count = 0;
    (*this)(count);
    good_ = good_ && count <= rest_.size();
    for (; good_ && count > 0; --count)
      fields(*this, values.emplace_back());
  }

  void value(Value &value) {
    std::uint8_t kind = 0;
    (*this)(kind);
    if (kind == 2) {
      std::string symbol;
      (*this)(symbol);
      value = Value(std::move(symbol));
    } else if (kind == 1) {
      double number = 0;
      (*this)(number);
      value = Value(number);
    } else {
      good_ = good_ && kind == 0;
      bool is_large = false;
      std::uint64_t bits = 0;
      (*this)(is_large);
      (*this)(bits);
      value = is_large ? Value(bits) : Value(static_cast<std::int64_t>(bits));
      good_ = good_ && value.is_large() == is_large;
    }
  }

  void space(Space &space) {
    std::vector<Point> points;
    list(points);
    good_ = good_ && std::ranges::adjacent_find(points, std::ranges::greater_equal(),
                                                &Point::label) == points.end();
    good_ = good_ && std::ranges::none_of(points, [](const Point &point) {
              return point.sites.empty(); // which nobody expects
            });
    if (good_)
      space = Space(std::move(points));
  }

  [[nodiscard]] bool is_at_end() const { return good_ && rest_.empty(); }

private:
  std::string_view take(std::uint64_t bytes) {
    static constexpr std::string_view kNothing("\0\0\0\0\0\0\0\0", 8);
    good_ = good_ && bytes <= rest_.size();
    if (!good_)
      return kNothing.substr(0, bytes <= kNothing.size() ? bytes : 0);
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  bool good_ = true;
};

// What there is of each, in order: for the writer and the reader alike.

template <class Io> void fields(Io &io, auto &thing);

template <class Io>
void fields_of(Io &io, auto &text)
  requires std::same_as<std::remove_cvref_t<decltype(text)>, std::string>
{
  io(text);
}

template <class Io>
void fields_of(Io &io, auto &value)
  requires std::same_as<std::remove_cvref_t<decltype(value)>, Value>
{
  io.value(value);
}

template <class Io>
void fields_of(Io &io, auto &type)
  requires std::same_as<std::remove_cvref_t<decltype(type)>, PointType>
{
  io.choice(type.kind, PointType::Class::integer, PointType::Class::pointer);
  io(type.bits);
  io(type.is_signed);
}

template <class Io>
void fields_of(Io &io, auto &piece)
  requires std::same_as<std::remove_cvref_t<decltype(piece)>, Piece>
{
  io(piece.argument);
  io(piece.offset);
  io(piece.bytes);
}

template <class Io>
void fields_of(Io &io, auto &parameter)
  requires std::same_as<std::remove_cvref_t<decltype(parameter)>, Parameter>
{
  io.choice(parameter.kind, Parameter::Kind::nothing, Parameter::Kind::unknown);
  fields(io, parameter.type);
  io(parameter.sign_is_known);
  io(parameter.bytes);
  io.choice(parameter.passing, Parameter::Passing::direct, Parameter::Passing::address);
  io(parameter.depends_on_others);
  io.list(parameter.pieces);
}

template <class Io>
void fields_of(Io &io, auto &signature)
  requires std::same_as<std::remove_cvref_t<decltype(signature)>, Signature>
{
  io(signature.arguments);
  fields(io, signature.result);
  io.list(signature.parameters);
}

template <class Io>
void fields_of(Io &io, auto &handler)
  requires std::same_as<std::remove_cvref_t<decltype(handler)>, HandlerModule::Handler>
{
  io(handler.name);
  io(handler.native_name);
  io(handler.signature);
  io(handler.native_only);
  io(handler.has_loose_floats);
}

template <class Io>
void fields_of(Io &io, auto &site)
  requires std::same_as<std::remove_cvref_t<decltype(site)>, Site>
{
  io(site.function);
  io(site.file);
  io(site.line);
  io(site.problem);
}

template <class Io>
void fields_of(Io &io, auto &point)
  requires std::same_as<std::remove_cvref_t<decltype(point)>, Point>
{
  io(point.label);
  io.choice(point.kind, PointKind::enumeration, PointKind::custom);
  fields(io, point.type);
  io.list(point.choices);
  io.list(point.sites);
  io.list(point.handlers);
  io(point.function);
  io.list(point.arguments);
  io(point.custom_kind);
  io(point.is_versioned);
  io(point.reads_memory);
}

template <class Io>
void fields_of(Io &io, auto &failure)
  requires std::same_as<std::remove_cvref_t<decltype(failure)>, Failure>
{
  io.choice(failure.code, ErrorCode::unknown_label, ErrorCode::no_compiler);
  io(failure.subject);
  io(failure.message);
  io(failure.remedy);
}

template <class Io>
void fields_of(Io &io, auto &module)
  requires std::same_as<std::remove_cvref_t<decltype(module)>, HandlerModule>
{
  io(module.source);
  io(module.bitcode);
  io(module.identity);
  io.space(module.space);
  io.list(module.handlers);
  io(module.replaced);
  io.list(module.may_be_missing);
  io.list(module.left_out);
}

template <class Io> void fields(Io &io, auto &thing) { fields_of(io, thing); }

std::unexpected<Failure> damaged(const char *why) {
  return std::unexpected(
      Failure{ErrorCode::file_error, "a stored handler module", why, "make it anew"});
}

bool is_good(const Signature &signature) {
  const auto has_place = [&](const Piece &piece) { return piece.argument < signature.arguments; };
  return std::ranges::all_of(signature.parameters, [&](const Parameter &parameter) {
    return std::ranges::all_of(parameter.pieces, has_place);
  });
}

} // namespace

std::string pack(const HandlerModule &module) {
  Writer writer;
  fields(writer, module);
  const std::string body = writer.take();
  const std::uint64_t sum = checksum_of(body);
  std::string bytes(kMagic);
  bytes.append(reinterpret_cast<const char *>(&sum), sizeof sum);
  return bytes + body;
}

Result<HandlerModule> unpack(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kHeaderBytes)
    return damaged("is none, or of another version of Sartor");
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + kMagic.size(), sizeof sum);
  const std::string_view body = bytes.substr(kHeaderBytes);
  if (sum != checksum_of(body))
    return damaged("is damaged: its checksum is another");
  Reader reader(body);
  HandlerModule module;
  fields(reader, module);
  if (!reader.is_at_end())
    return damaged("is not as it was written");
  for (const HandlerModule::Handler &handler : module.handlers)
    if (handler.signature && !is_good(*handler.signature))
      return damaged("has a parameter that is passed nowhere");
  return module;
}

} // namespace sartor::point
