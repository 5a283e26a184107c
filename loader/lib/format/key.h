// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FORMAT_KEY_H
#define SARTOR_LOADER_LIB_FORMAT_KEY_H

#include "loader/lib/format/image_format.h"

/// The inputs of a plan other than files.
namespace sartor::loader {

/// The features that the CPU has and the kernel enables for programs, by which indirect functions
/// were resolved: the leaves that the C library queries, and the state that is saved for a program.
class Cpu {
public:
  Cpu() {
    const Leaf first = ask(1);
    const Leaf seventh = ask(7);
    const Leaf extended = ask(0x80000001);
    constexpr uint32_t saves_state = 1U << 27;
    words[0] = uint64_t{first.c} << 32 | first.d;
    words[1] = uint64_t{seventh.b} << 32 | seventh.c;
    words[2] = uint64_t{seventh.d} << 32 | (seventh.a >= 1 ? ask(7, 1).a : 0);
    words[3] = uint64_t{extended.c} << 32 | extended.d;
    if ((first.c & saves_state) != 0)
      words[4] = uint64_t{enabled_state()} << 32 | ask(0xd, 1).a;
    words[5] = first.a;
  }
  uint64_t words[6] = {};

private:
  struct Leaf {
    uint32_t a, b, c, d;
  };
  static Leaf ask(uint32_t leaf, uint32_t part = 0) {
    Leaf said = {.a = leaf, .b = 0, .c = part, .d = 0};
    __asm__("cpuid" : "+a"(said.a), "=b"(said.b), "+c"(said.c), "=d"(said.d));
    return said;
  }
  static uint32_t enabled_state() {
    uint32_t low;
    uint32_t high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
  }
};

class Key {
public:
  void add(uint64_t word) { hash_ = format::checksum(&word, 1) ^ (hash_ << 7 | hash_ >> 57); }
  /// Adds a text with its terminator, so that "ab", "c" differs from "a", "bc".
  void add(const char *text) {
    for (; *text != 0; ++text)
      add_byte(static_cast<unsigned char>(*text));
    add_byte(256);
  }
  [[nodiscard]] uint64_t value() const { return hash_ ^ hash_ >> 31; }

private:
  void add_byte(uint64_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }
  uint64_t hash_ = 0xcbf29ce484222325;
};

/// Returns the rest of a text after `with`; nullptr if the text does not begin with it.
inline const char *behind(const char *text, const char *with) {
  while (*with != 0)
    if (*text++ != *with++)
      return nullptr;
  return text;
}

/// True if an environment variable (`NAME=value`) changes which libraries the stock loader loads or
/// how it binds them.
inline bool is_for_stock_loader(const char *variable) {
  const auto is = [variable](const char *name) { return behind(variable, name) != nullptr; };
  return is("LD_LIBRARY_PATH=") || is("LD_PRELOAD=") || is("LD_HWCAP_MASK=") ||
         is("LD_DYNAMIC_WEAK=") || is("LD_ORIGIN_PATH=") || is("LD_ASSUME_KERNEL=") ||
         is("LD_PREFER_MAP_32BIT_EXEC=") || is("GLIBC_TUNABLES=");
}

/// True if the variable's meaning depends on the working directory.
inline bool is_relative(const char *variable) {
  const char *path = behind(variable, "LD_LIBRARY_PATH=");
  const bool is_searched = path != nullptr;
  if (!is_searched)
    path = behind(variable, "LD_PRELOAD=");
  const auto ends = [](char at) { return at == 0 || at == ':' || at == ';' || at == ' '; };
  for (const char *at = path; at != nullptr && *path != 0;) {
    const char *begin = at;
    bool has_directory = is_searched;
    for (; !ends(*at); ++at)
      has_directory |= *at == '/';
    if (has_directory && *begin != '/' && *begin != '$')
      return true;
    if (*at++ == 0)
      break;
  }
  return false;
}

/// The inputs of a plan's key.
struct KeyParts {
  format::FileIdentity program;
  const char *path;      ///< The program's absolute path.
  const char *settings;  ///< The options of this run, for the planner.
  const char *directory; ///< The working directory of the start.
  const char *const *environment;
};

inline uint64_t key_of(const KeyParts &parts) {
  Key key;
  key.add(format::magic);
  for (const uint64_t word : Cpu().words)
    key.add(word);
  key.add(parts.program.inode);
  key.add(parts.path);
  key.add(parts.settings);
  bool is_in_directory = false;
  const char *home = nullptr;
  bool has_settings = false;
  for (const char *const *at = parts.environment; *at != nullptr; ++at) {
    is_in_directory |= is_relative(*at);
    has_settings |= behind(*at, "XDG_CONFIG_HOME=/") != nullptr;
    if (behind(*at, "HOME=") != nullptr)
      home = *at;
    else if (is_for_stock_loader(*at) || behind(*at, "XDG_CONFIG_HOME=") != nullptr)
      key.add(*at);
  }
  if (home != nullptr && !has_settings) // a directory of settings
    key.add(home);
  if (is_in_directory)
    key.add(parts.directory);
  return key.value();
}

} // namespace sartor::loader

#endif
