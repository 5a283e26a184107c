// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/stored_module.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "base/raw_bytes.h"
#include "core/space/fields.h"

namespace sartor::bytes {

namespace {

constexpr std::uint32_t kMostAlignment = 1U << 20;

} // namespace

template <class Io, Of<core::Piece> T> void fields_of(Io &io, T &piece) {
  io(piece.argument, piece.offset, piece.bytes);
}

template <class Io, Of<core::Parameter> T> void fields_of(Io &io, T &parameter) {
  io.choice(parameter.kind);
  io(parameter.type, parameter.sign_is_known, parameter.bytes);
  io.choice(parameter.passing);
  io(parameter.depends_on_others, parameter.pieces);
}

template <class Io, Of<core::Signature> T> void fields_of(Io &io, T &signature) {
  io(signature.arguments, signature.result, signature.parameters);
}

template <class Io, Of<core::HandlerModule::Handler> T> void fields_of(Io &io, T &handler) {
  io(handler.name, handler.native_name, handler.signature, handler.native_only,
     handler.has_loose_floats);
}

template <class Io, Of<core::HandlerModule::Constant> T> void fields_of(Io &io, T &constant) {
  io(constant.name, constant.bytes, constant.alignment);
  io.require(std::has_single_bit(constant.alignment) && constant.alignment <= kMostAlignment);
}

template <class Io, Of<Site> T> void fields_of(Io &io, T &site) {
  io(site.function, site.file, site.line, site.problem, site.unreached);
}

template <class Io, Of<Point> T> void fields_of(Io &io, T &point) {
  io(point.label);
  io.choice(point.kind, PointKind::enumeration);
  io(point.type, point.choices, point.sites, point.handlers, point.function, point.arguments,
     point.custom_kind, point.is_versioned, point.reads_memory, point.is_operand);
}

template <class Io, Of<Space> T> void fields_of(Io &io, T &space) {
  std::vector<Point> points;
  if constexpr (!Io::reads)
    points = space.points();
  io(points);
  if constexpr (Io::reads) {
    const bool is_sorted = std::ranges::adjacent_find(points, std::ranges::greater_equal(),
                                                      &Point::label) == points.end();
    const auto is_bad = [](const Point &point) {
      return point.sites.empty() || point.type.bits == 0;
    };
    const bool is_good = is_sorted && std::ranges::none_of(points, is_bad);
    io.require(is_good);
    if (is_good)
      space = Space(std::move(points));
  }
}

template <class Io, Of<core::HandlerModule> T> void fields_of(Io &io, T &module) {
  io(module.source, module.bitcode, module.identity, module.space, module.handlers, module.replaced,
     module.may_be_missing, module.left_out, module.constants);
}

} // namespace sartor::bytes

namespace sartor::core {

namespace {

// Increment the number when the format of stored modules changes.
constexpr std::string_view kMagic("SARTMOD\2", 8);
constexpr std::size_t kHeaderBytes = kMagic.size() + sizeof(std::uint64_t);

// FNV-1a: texts that differ in a single byte have different checksums.
std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : bytes)
    sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return sum;
}

std::unexpected<Failure> damaged(const char *why) {
  return std::unexpected(
      Failure{ErrorCode::file_error, "a stored handler module", why, "make it anew"});
}

bool is_good(const Signature &signature) {
  return std::ranges::all_of(signature.parameters, [&](const Parameter &parameter) {
    return std::ranges::all_of(parameter.pieces, [&](const Piece &piece) {
      return piece.argument < signature.arguments && piece.offset <= parameter.bytes &&
             piece.bytes <= parameter.bytes - piece.offset;
    });
  });
}

} // namespace

std::string pack_module(const HandlerModule &module) {
  const std::string body = bytes::pack(module);
  const std::uint64_t sum = checksum_of(body);
  std::string packed(kMagic);
  base::append_raw(packed, sum);
  return packed + body;
}

Result<HandlerModule> unpack_module(std::string_view packed) {
  if (!packed.starts_with(kMagic) || packed.size() < kHeaderBytes)
    return damaged("is none, or of another version of Sartor");
  std::uint64_t sum = 0;
  std::memcpy(&sum, packed.data() + kMagic.size(), sizeof sum);
  const std::string_view body = packed.substr(kHeaderBytes);
  if (sum != checksum_of(body))
    return damaged("is damaged: its checksum is another");
  auto module = bytes::unpack<HandlerModule>(body);
  if (!module)
    return damaged("is not as it was written");
  for (const HandlerModule::Handler &handler : module->handlers)
    if (handler.signature && !is_good(*handler.signature))
      return damaged("has a parameter that is passed nowhere");
  return std::move(*module);
}

} // namespace sartor::core
