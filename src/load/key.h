// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_KEY_H
#define SARTOR_LOAD_KEY_H

#include "load/image_format.h"

/// What a plan depends on besides files: computed alike by the front and by who plans.
namespace sartor::load {

/// Which features the CPU has: indirect functions were resolved by them.
inline void add_cpu(uint64_t (&words)[4]) {
  uint32_t a = 1;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  words[0] = a;
  words[1] = uint64_t{c} << 32 | d;
  a = 7;
  c = 0;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  words[2] = uint64_t{b} << 32 | c;
  words[3] = d;
}

class Key {
public:
  void add(uint64_t word) { hash_ = format::checksum(&word, 1) ^ (hash_ << 7 | hash_ >> 57); }
  /// With its end, so that "ab", "c" is not "a", "bc".
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

/// Whether an environment variable (`NAME=value`) changes what the stock loader does, or what is
/// planned.
inline bool matters(const char *variable) {
  const auto begins = [variable](const char *with) {
    const char *at = variable;
    while (*with != 0)
      if (*at++ != *with++)
        return false;
    return true;
  };
  return begins("LD_") || begins("GLIBC_TUNABLES=") || begins("HOME=") ||
         begins("XDG_CONFIG_HOME=");
}

/// `settings`: the options of this run, as they were written.
inline uint64_t key_of(const format::FileIdentity &program, const char *path, const char *settings,
                       const char *const *environment) {
  Key key;
  key.add(format::magic);
  uint64_t cpu[4];
  add_cpu(cpu);
  for (const uint64_t word : cpu)
    key.add(word);
  key.add(program.device);
  key.add(program.inode);
  key.add(path);
  key.add(settings);
  for (; *environment != nullptr; ++environment)
    if (matters(*environment))
      key.add(*environment);
  return key.value();
}

} // namespace sartor::load

#endif
