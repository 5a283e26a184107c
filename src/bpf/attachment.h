// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_ATTACHMENT_H
#define SARTOR_BPF_ATTACHMENT_H

#include <cstdint>
#include <filesystem>
#include <string>

#include <linux/bpf.h>

#include "base/result.h"
#include "bpf/descriptor.h"

namespace sartor::bpf {

/// A place in the kernel from which a program is called: an entry. Which program that is, is
/// exchanged without a gap. It ends with this, unless it is pinned.
class Attachment {
public:
  /// A link to what `target` is for that type: an interface's index, a control group's descriptor.
  /// `where` is for people. With a pin that is there already, takes that link over. Fails with
  /// bad_attachment, not_permitted, kernel_lacks.
  static Result<Attachment> link(int program, int target, bpf_attach_type type, std::uint32_t flags,
                                 std::string where, const std::filesystem::path &pin);
  /// A link that somebody else keeps. It is led back to `generic` in the end.
  static Result<Attachment> lent(int program, int generic, int link, std::string where);
  /// A socket's filter. `socket` stays the caller's, and open.
  static Result<Attachment> socket(int program, int socket, std::string where);
  /// A slot of a program array. `map` stays open.
  static Result<Attachment> slot(int program, int map, std::uint32_t index, std::string where);

  ~Attachment();
  Attachment(Attachment &&) = default;
  Attachment &operator=(Attachment &&) = delete;

  /// From now on it calls this program, which has to be there until the next. Fails as above, also
  /// where somebody else has led it to another one, and leaves it as it was.
  Result<void> put(int program);
  /// Our program is not called any more, and the pin is gone. What somebody else leads elsewhere
  /// stays.
  void detach();
  [[nodiscard]] const std::string &where() const { return where_; }

private:
  enum class Kind : unsigned char { link, lent, socket, slot };
  Attachment(Kind kind, std::string where) : kind_(kind), where_(std::move(where)) {}

  Result<void> take_over(int program, int target, bpf_attach_type type);
  Result<void> put_at_link(int program);
  /// Whether the link leads where we have led it.
  [[nodiscard]] bool is_ours() const;

  Kind kind_;
  std::string where_;
  Descriptor link_;
  int program_ = -1; ///< To which we have led the link; -1: to none yet.
  int generic_ = -1; ///< Where one that is lent leads in the end.
  std::filesystem::path pin_;
  Descriptor target_; ///< A socket, or a map, doubled.
  std::uint32_t index_ = 0;
};

} // namespace sartor::bpf

#endif
