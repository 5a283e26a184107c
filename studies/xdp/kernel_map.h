// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_KERNEL_MAP_H
#define SARTOR_STUDY_XDP_KERNEL_MAP_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace xdp {

/// Returns descriptors of an object's maps by name; variables are in `.bss` and `.data`. Throws if
/// there is no such map.
using MapSource = std::function<int(const std::string &name)>;

/// A map in the kernel, by a descriptor that it does not own. Members throw std::runtime_error if
/// the kernel reports an error, and copy keys and values as bytes.
class KernelMap {
public:
  explicit KernelMap(int descriptor);

  template <class Key, class Value> [[nodiscard]] std::optional<Value> find(const Key &key) const {
    Value value{};
    check<Key, Value>();
    return look_up(&key, &value) ? std::optional<Value>(value) : std::nullopt;
  }
  template <class Key, class Value> void set(const Key &key, const Value &value) const {
    check<Key, Value>();
    update(&key, &value);
  }
  /// Does nothing if the key is missing.
  template <class Key> void erase(const Key &key) const {
    check_key(sizeof key);
    erase_key(&key);
  }
  template <class Key> [[nodiscard]] std::vector<Key> keys() const {
    check_key(sizeof(Key));
    std::vector<Key> found;
    Key key{};
    for (bool more = next(nullptr, &key); more; more = next(&found.back(), &key))
      found.push_back(key);
    return found;
  }
  /// The first elements of an array.
  template <class Value> [[nodiscard]] std::vector<Value> first(std::uint32_t count) const {
    std::vector<Value> found;
    for (std::uint32_t i = 0; i < count; ++i)
      found.push_back(find<std::uint32_t, Value>(i).value());
    return found;
  }
  template <class Value> void set_first(const std::vector<Value> &values) const {
    for (std::uint32_t i = 0; i < values.size(); ++i)
      set(i, values[i]);
  }
  /// For a per-CPU array: the sums over all processors of the element's words.
  [[nodiscard]] std::vector<std::uint64_t> sums(std::uint32_t key) const;

  /// The whole content, with keys as bytes; for a per-CPU array, the sums.
  using Content = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] Content content() const;
  void set_bytes(const std::string &key, const std::string &value) const;
  /// Sets all elements of a per-CPU array to zero.
  void clear_sums() const;

private:
  template <class Key, class Value> void check() const {
    static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>);
    check_key(sizeof(Key));
    check_value(sizeof(Value));
  }
  void check_key(std::size_t bytes) const;
  void check_value(std::size_t bytes) const;
  bool look_up(const void *key, void *value) const;
  void update(const void *key, const void *value) const;
  void erase_key(const void *key) const;
  bool next(const void *key, void *after) const;
  [[nodiscard]] bool is_of_each_processor() const;

  int descriptor_;
  std::uint32_t type_ = 0;
  std::uint32_t key_bytes_ = 0;
  std::uint32_t value_bytes_ = 0;
};

} // namespace xdp

#endif
