// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serialization of values, for files and for other processes. The fields of a type are listed once,
// for the writer and the reader, by an overload of fields_of() in this namespace, defined next to
// the type:
//
//     template <class Io, Of<Extent> T> void fields_of(Io &io, T &extent) {
//       io(extent.address, extent.end);
//     }
#ifndef SARTOR_BASE_BYTES_H
#define SARTOR_BASE_BYTES_H

#include <bit>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sartor/value.hpp>

#include "base/result.h"

namespace sartor::bytes {

static_assert(std::endian::native == std::endian::little);

template <class T, class Thing>
concept Of = std::same_as<std::remove_const_t<T>, Thing>;

class Writer {
public:
  static constexpr bool reads = false;

  template <class T> void operator()(const T &thing) {
    if constexpr (std::is_arithmetic_v<T>) {
      bytes_.append(reinterpret_cast<const char *>(&thing), sizeof thing);
    } else if constexpr (std::same_as<T, std::string>) {
      (*this)(std::uint64_t{thing.size()});
      bytes_ += thing;
    } else {
      fields_of(*this, thing);
    }
  }
  template <class T> void operator()(const std::optional<T> &value) {
    (*this)(value.has_value());
    if (value)
      (*this)(*value);
  }
  template <class T> void operator()(const std::vector<T> &list) {
    (*this)(std::uint64_t{list.size()});
    for (const T &each : list)
      (*this)(each);
  }
  template <class K, class V, class C> void operator()(const std::map<K, V, C> &map) {
    (*this)(std::uint64_t{map.size()});
    for (const auto &[key, value] : map) {
      (*this)(key);
      (*this)(value);
    }
  }
  /// Several, one after another.
  template <class... All>
    requires(sizeof...(All) > 1)
  void operator()(All &&...all) {
    ((*this)(all), ...);
  }
  /// An enumeration whose values range from `first` to T::kLast.
  template <class T> void choice(const T &value, T = T{}) { (*this)(std::to_underlying(value)); }
  /// Does nothing in a writer.
  void require(bool) {}

  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// Accepts untrusted bytes. After a premature end or an invalid value, everything read is empty,
/// and is_at_end() is false.
///
/// Without `keeps`, it reads all bytes in constant memory: a container keeps at most one element, a
/// string its beginning. The order of elements is not checked as strictly then.
template <bool keeps> class BasicReader {
public:
  static constexpr bool reads = true;

  explicit BasicReader(std::string_view bytes) : rest_(bytes) {}

  template <class T> void operator()(T &thing) {
    if constexpr (std::same_as<T, bool>) {
      const std::string_view byte = take(1);
      good_ = good_ && (byte[0] == 0 || byte[0] == 1);
      thing = good_ && byte[0] != 0;
    } else if constexpr (std::is_arithmetic_v<T>) {
      thing = {};
      if (const std::string_view bytes = take(sizeof thing); good_)
        bytes.copy(reinterpret_cast<char *>(&thing), sizeof thing);
    } else if constexpr (std::same_as<T, std::string>) {
      std::uint64_t size = 0;
      (*this)(size);
      const std::string_view taken = take(size);
      thing = good_ ? taken.substr(0, keeps ? taken.size() : kMostSkimmed) : std::string_view();
    } else {
      fields_of(*this, thing);
    }
  }
  template <class T> void operator()(std::optional<T> &value) {
    bool is_there = false;
    (*this)(is_there);
    if (is_there)
      (*this)(value.emplace());
  }
  template <class T> void operator()(std::vector<T> &list) {
    for (auto left = count(); good_ && left > 0; --left) {
      if constexpr (!keeps)
        list.clear();
      (*this)(list.emplace_back());
    }
  }
  template <class K, class V, class C> void operator()(std::map<K, V, C> &map) {
    for (auto left = count(); good_ && left > 0; --left) {
      K key{};
      (*this)(key);
      if constexpr (keeps)
        require(map.empty() || map.key_comp()(map.rbegin()->first, key)); // in written order
      else
        map.clear();
      (*this)(map[std::move(key)]);
    }
  }
  template <class... All>
    requires(sizeof...(All) > 1)
  void operator()(All &&...all) {
    ((*this)(all), ...);
  }
  template <class T> void choice(T &value, T first = T{}) {
    std::underlying_type_t<T> number{};
    (*this)(number);
    require(number >= std::to_underlying(first) && number <= std::to_underlying(T::kLast));
    if (good_)
      value = static_cast<T>(number);
  }
  /// Fails the reader if a condition of the content is false.
  void require(bool holds) { good_ = good_ && holds; }

  [[nodiscard]] bool is_at_end() const { return good_ && rest_.empty(); }

private:
  static constexpr std::size_t kMostSkimmed = 256;

  // Each element takes at least one byte, so a count cannot exceed the remaining bytes.
  std::uint64_t count() {
    std::uint64_t count = 0;
    (*this)(count);
    require(count <= rest_.size());
    return good_ ? count : 0;
  }
  std::string_view take(std::uint64_t bytes) {
    static constexpr std::string_view kNothing("\0\0\0\0\0\0\0\0", 8);
    require(bytes <= rest_.size());
    if (!good_)
      return kNothing.substr(0, bytes <= kNothing.size() ? bytes : 0);
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  bool good_ = true;
};
using Reader = BasicReader<true>;

template <class Io, Of<Value> T> void fields_of(Io &io, T &value) {
  std::uint8_t kind = 0;
  if constexpr (!Io::reads)
    kind = value.is_symbol() ? 2 : value.is_floating() ? 1 : 0;
  io(kind);
  io.require(kind <= 2);
  if constexpr (Io::reads) {
    std::string symbol;
    double real = 0;
    bool is_large = false;
    std::uint64_t bits = 0;
    if (kind == 2) {
      io(symbol);
      value = Value(std::move(symbol));
    } else if (kind == 1) {
      io(real);
      value = Value(real);
    } else {
      io(is_large, bits);
      value = is_large ? Value(bits) : Value(static_cast<std::int64_t>(bits));
      io.require(value.is_large() == is_large);
    }
  } else if (value.is_symbol()) {
    io(value.symbol());
  } else if (value.is_floating()) {
    io(value.floating());
  } else {
    io(value.is_large(), value.bits());
  }
}

template <class Io, Of<Failure> T> void fields_of(Io &io, T &failure) {
  io.choice(failure.code, ErrorCode::unknown_label);
  io(failure.subject, failure.message, failure.remedy);
}

template <class T> std::string pack(const T &thing) {
  Writer writer;
  writer(thing);
  return writer.take();
}

/// Nothing if the bytes were not written by pack(). `keeps`: see BasicReader.
template <class T, bool keeps = true> std::optional<T> unpack(std::string_view bytes) {
  BasicReader<keeps> reader(bytes);
  T thing;
  reader(thing);
  if (!reader.is_at_end())
    return std::nullopt;
  return std::optional<T>(std::in_place, std::move(thing)); // T may be an optional itself
}

} // namespace sartor::bytes

#endif
