// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_TEXT_H
#define SARTOR_LOADER_FRONT_TEXT_H

#include <stddef.h>
#include <stdint.h>

extern "C" {
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *one, const void *other, size_t size);
}

namespace sartor::front {

size_t length(const char *text);
bool equal(const char *one, const char *other);
/// Returns the rest of a text after `prefix`; nullptr if the text does not begin with it.
const char *after(const char *text, const char *prefix);
/// Returns the part after the last '/'.
const char *base_name(const char *path);

/// A text of limited length that is built by appending; the part that does not fit is cut off.
class Line {
public:
  Line &add(const char *text);
  Line &add(char letter);
  Line &add_number(uint64_t number);
  Line &add_hexadecimal(uint64_t number);
  [[nodiscard]] const char *text() const { return text_; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool is_cut_off() const { return size_ == sizeof text_ - 1; }
  /// Calls `look` with each line, without its '\n'. A last line without '\n' is ignored.
  template <class Look> void cut_lines(Look &&look) {
    const char *line = text_;
    for (char &each : text_)
      if (each == '\n') {
        each = 0;
        look(line);
        line = &each + 1;
      }
  }

private:
  char text_[4096] = {};
  size_t size_ = 0;
};

/// Writes `sartor-ld: SUBJECT: WHAT` to standard error.
void say(const char *subject, const char *what);

} // namespace sartor::front

#endif
