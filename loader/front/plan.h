// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_PLAN_H
#define SARTOR_LOADER_FRONT_PLAN_H

#include "loader/lib/format/image_format.h"

namespace sartor::front {

/// Returns a file's identity; all zero if there is no such file.
loader::format::FileIdentity identity_of(const char *path);
loader::format::FileIdentity identity_of(int file);

/// The plan of an image file, mapped and checked: no offset or index in it leads outside of the
/// file.
class Plan {
public:
  /// Reads the plan. Returns false if it is damaged, if it has another key (0 accepts any key), or
  /// if its owner is not permitted to write plans.
  bool read(int file, uint64_t key);
  void forget();

  [[nodiscard]] const loader::format::Header &header() const { return *header_; }
  template <class T> [[nodiscard]] const T *table(const loader::format::Table &table) const {
    return reinterpret_cast<const T *>(reinterpret_cast<const char *>(header_) + table.offset);
  }
  [[nodiscard]] const char *string(uint64_t offset) const {
    return table<char>(header_->strings) + offset;
  }
  /// True if the plan's message to the user has been reported.
  [[nodiscard]] bool is_reported() const { return is_reported_; }
  /// Returns the path of a file that has changed since it was planned; nullptr if there is none.
  [[nodiscard]] const char *changed_file() const;

private:
  [[nodiscard]] bool is_sound(uint64_t file_size) const;
  [[nodiscard]] bool is_sound(const loader::format::Mapping &mapping, uint64_t file_size) const;
  [[nodiscard]] bool are_paths_sound() const;
  [[nodiscard]] bool has_room(const loader::format::Table &table, uint64_t entry) const;

  const loader::format::Header *header_ = nullptr;
  uint64_t size_ = 0;
  bool is_reported_ = true;
};

} // namespace sartor::front

#endif
