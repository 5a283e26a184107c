// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/bound_arguments.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/space/fit.h"

namespace sartor {

namespace {

using core::Parameter;

std::unexpected<Failure> bad_binding(const core::HandlerModule::Handler &handler,
                                     std::string message, std::string remedy) {
  return std::unexpected(Failure{ErrorCode::bad_binding, handler.readable_name(),
                                 std::move(message), std::move(remedy)});
}

// Converts a scalar that is given as bytes.
Value scalar_of(const std::string &bytes, const PointType &type) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
  if (type.kind == PointType::Class::floating)
    return type.bits == 32 ? double{std::bit_cast<float>(static_cast<std::uint32_t>(word))}
                           : std::bit_cast<double>(word);
  const unsigned unused = type.bits < 64 ? 64 - type.bits : 0;
  if (type.is_signed)
    return static_cast<std::int64_t>(word << unused) >> unused;
  return word << unused >> unused;
}

// Keeps only the bytes that the handler sees: padding between and after them may have any value.
BoundArgument without_padding(const std::string &bytes, const Parameter &parameter) {
  if (parameter.passing == Parameter::Passing::copy)
    return BoundArgument::object(bytes.data(), bytes.size());
  std::string seen(bytes.size(), '\0');
  for (const core::Piece &piece : parameter.pieces)
    seen.replace(piece.offset, piece.bytes, bytes, piece.offset, piece.bytes);
  return BoundArgument::object(seen.data(), seen.size());
}

std::string remedy_for(const Value &value, const PointType &type) {
  if (value.is_floating() && std::isnan(value.floating()))
    return "leave it to the callers: NaN equals no number, not even itself";
  if (type.kind == PointType::Class::integer && !type.is_signed && type.bits >= 64 &&
      value.is_integer())
    return "bind a value of the parameter's type; in C, one from 2^63 on as an object, by its "
           "bytes";
  return "bind a value of the parameter's type";
}

Result<BoundArgument> fit_argument(const core::HandlerModule::Handler &handler, unsigned index,
                                   const BoundArgument &argument) {
  const Parameter &parameter = handler.signature->parameters[index];
  const std::string what = "argument " + std::to_string(index);
  if (parameter.passing == Parameter::Passing::address)
    return bad_binding(handler,
                       what + " is " + parameter.text() +
                           " that is not passed by its bytes but by an address of the "
                           "caller's, because copying or destroying it runs code",
                       "pass it by pointer or reference");
  if (argument.is_object() && argument.bytes().size() != parameter.bytes)
    return bad_binding(handler,
                       what + " is " + parameter.text() + ", and was bound to " +
                           std::to_string(argument.bytes().size()) + " bytes",
                       "bind an object of the parameter's type");
  if (parameter.kind == Parameter::Kind::object) {
    if (argument.is_object())
      return without_padding(argument.bytes(), parameter);
    return bad_binding(handler,
                       what + " is " + parameter.text() + ", and was bound to the number " +
                           argument.text(),
                       "bind an object of the parameter's type, by its bytes");
  }
  PointType type = parameter.type;
  const Value value = argument.is_object() ? scalar_of(argument.bytes(), type) : argument.value();
  if (!parameter.sign_is_known && type.kind == PointType::Class::integer)
    type.is_signed = value.is_integer() && !value.is_large() && value.integer() < 0;
  auto held = fit(value, type);
  if (!held)
    return bad_binding(handler, what + ": " + held.error().message, remedy_for(value, type));
  return BoundArgument(std::move(*held));
}

} // namespace

Result<void> check_parameters(const core::HandlerModule::Handler &handler,
                              std::span<const unsigned> indices) {
  if (indices.empty())
    return {};
  if (!handler.signature)
    return bad_binding(handler,
                       "has parameters for which its module does not say how they are passed",
                       "compile its file with -fplugin=SartorPlugin.so and -fpass-plugin=, as "
                       "sartor_add_handler() does");
  for (const unsigned index : indices)
    if (index >= handler.signature->parameters.size())
      return bad_binding(handler,
                         "has " + std::to_string(handler.signature->parameters.size()) +
                             " parameters, and none with the index " + std::to_string(index),
                         "count parameters from 0");
  return {};
}

Result<BoundArguments> fit_arguments(const core::HandlerModule::Handler &handler,
                                     const BoundArguments &arguments) {
  if (!handler.native_only.empty())
    return bad_binding(handler, "has no variants: " + handler.native_only,
                       "bind what it calls, in a handler of its own");
  BoundArguments fitted;
  for (const auto &[index, argument] : arguments) {
    if (auto known = check_parameters(handler, {&index, 1}); !known)
      return std::unexpected(std::move(known.error()));
    auto held = fit_argument(handler, index, argument);
    if (!held)
      return std::unexpected(std::move(held.error()));
    fitted.emplace(index, std::move(*held));
  }
  return fitted;
}

Result<void> check_rest_is_passed_alike(const core::HandlerModule::Handler &handler,
                                        const BoundArguments &bound) {
  if (bound.empty())
    return {};
  const auto &parameters = handler.signature->parameters;
  for (unsigned i = bound.begin()->first + 1; i < parameters.size(); ++i)
    if (parameters[i].depends_on_others && !bound.contains(i))
      return bad_binding(handler,
                         "cannot have a function without what is bound: its parameter " +
                             std::to_string(i) + ", " + parameters[i].text() +
                             ", comes in memory because those before it use up the registers",
                         "bind it too, put it first, or pass it by pointer");
  return {};
}

} // namespace sartor
