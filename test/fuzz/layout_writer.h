// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_LAYOUT_WRITER_H
#define SARTOR_TEST_FUZZ_LAYOUT_WRITER_H

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "fuzz/conversation.h"

namespace sartor::bytes {

/// Writes nothing, but finds the position at which Writer would write each field.
class LayoutWriter {
public:
  static constexpr bool reads = false;

  template <class T> void operator()(const T &thing) {
    if constexpr (std::is_arithmetic_v<T>) {
      add(remote::Field::What::number, sizeof thing);
    } else if constexpr (std::same_as<T, std::string>) {
      layout_.fields.push_back({remote::Field::What::text, at_, thing.size()});
      at_ += sizeof(std::uint64_t) + thing.size();
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
    const std::size_t count_at = add(remote::Field::What::count, sizeof(std::uint64_t));
    for (const T &each : list)
      element(count_at, [&] { (*this)(each); });
  }
  template <class K, class V, class C> void operator()(const std::map<K, V, C> &map) {
    const std::size_t count_at = add(remote::Field::What::count, sizeof(std::uint64_t));
    for (const auto &[key, value] : map)
      element(count_at, [&] {
        (*this)(key);
        (*this)(value);
      });
  }
  template <class... All>
    requires(sizeof...(All) > 1)
  void operator()(All &&...all) {
    ((*this)(all), ...);
  }
  template <class T> void choice(const T &value, T = T{}) { (*this)(std::to_underlying(value)); }
  void require(bool) {}

  remote::Layout take() { return std::move(layout_); }

private:
  std::size_t add(remote::Field::What what, std::size_t size) {
    layout_.fields.push_back({what, at_, size});
    return std::exchange(at_, at_ + size);
  }
  template <class Write> void element(std::size_t count_at, const Write &write) {
    const std::size_t begin = at_;
    write();
    layout_.elements.push_back({count_at, begin, at_});
  }

  std::size_t at_ = 0;
  remote::Layout layout_;
};

template <class T> remote::Layout layout_of_thing(const T &thing) {
  LayoutWriter writer;
  writer(thing);
  return writer.take();
}

} // namespace sartor::bytes

namespace sartor::remote {

/// The layout of an image at the beginning of `packed`; empty if it is not an image.
Layout layout_of_image(std::string_view packed);
Layout layout_of_module(std::string_view packed);

} // namespace sartor::remote

#endif
