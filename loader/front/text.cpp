// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/text.h"

#include "front/system.h"

extern "C" {

void *memcpy(void *to, const void *from, size_t size) {
  void *at = to;
  __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size)::"memory");
  return to;
}

void *memset(void *to, int value, size_t size) {
  void *at = to;
  __asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(value) : "memory");
  return to;
}

int memcmp(const void *one, const void *other, size_t size) {
  const auto *a = static_cast<const unsigned char *>(one);
  const auto *b = static_cast<const unsigned char *>(other);
  for (size_t i = 0; i < size; ++i)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}
}

namespace sartor::front {

size_t length(const char *text) {
  size_t size = 0;
  while (text[size] != 0)
    ++size;
  return size;
}

bool equal(const char *one, const char *other) {
  const char *rest = after(one, other);
  return rest != nullptr && *rest == 0;
}

const char *after(const char *text, const char *prefix) {
  while (*prefix != 0)
    if (*text++ != *prefix++)
      return nullptr;
  return text;
}

const char *base_name(const char *path) {
  const char *name = path;
  for (; *path != 0; ++path)
    if (*path == '/')
      name = path + 1;
  return name;
}

Line &Line::add(const char *text) {
  while (*text != 0 && !is_cut_off())
    text_[size_++] = *text++;
  return *this;
}

Line &Line::add(char letter) {
  if (!is_cut_off())
    text_[size_++] = letter;
  return *this;
}

Line &Line::add_number(uint64_t number) {
  char digits[24];
  size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0 && !is_cut_off())
    text_[size_++] = digits[--count];
  return *this;
}

Line &Line::add_hexadecimal(uint64_t number) {
  for (int shift = 60; shift >= 0 && !is_cut_off(); shift -= 4)
    text_[size_++] = "0123456789abcdef"[number >> shift & 15];
  return *this;
}

void say(const char *subject, const char *what) {
  Line line;
  line.add("sartor-ld: ").add(subject).add(": ").add(what).add("\n");
  call(__NR_write, 2, line.text(), line.size());
}

} // namespace sartor::front
