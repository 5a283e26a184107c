// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_VARIABLES_H
#define SARTOR_STUDY_XDP_VARIABLES_H

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>

namespace xdp {

/// The variables in a section of a BPF object, in the memory that it runs with. Throws
/// std::runtime_error if there is no such variable, or it has another size.
class Variables {
public:
  /// `map`: a descriptor of the section's map.
  explicit Variables(int map);
  ~Variables();
  Variables(const Variables &) = delete;
  Variables &operator=(const Variables &) = delete;

  template <class T> [[nodiscard]] T &get(const std::string &name) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return *static_cast<T *>(place(name, sizeof(T)));
  }

private:
  struct Place {
    std::uint32_t offset;
    std::uint32_t bytes;
  };
  [[nodiscard]] void *place(const std::string &name, std::size_t bytes) const;

  std::map<std::string, Place> places_;
  char *memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A change of tables that handlers read meanwhile; lasts as long as this object, which increments
/// `version` at both ends. Throws std::runtime_error if a previous change was not completed, unless
/// everything is rewritten.
class Change {
public:
  explicit Change(const Variables &variables, bool is_all_new = false);
  ~Change();
  Change(const Change &) = delete;
  Change &operator=(const Change &) = delete;

private:
  std::uint64_t &version_;
};

} // namespace xdp

#endif
