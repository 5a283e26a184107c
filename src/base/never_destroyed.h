// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_NEVER_DESTROYED_H
#define SARTOR_BASE_NEVER_DESTROYED_H

namespace sartor::base {

/// A static object that threads may use until the process has ended.
template <class T> union NeverDestroyed {
  T value;

  constexpr NeverDestroyed() : value() {}
  NeverDestroyed(const NeverDestroyed &) = delete;
  NeverDestroyed &operator=(const NeverDestroyed &) = delete;
  ~NeverDestroyed() {} // NOLINT(modernize-use-equals-default): a default would be deleted
};

} // namespace sartor::base

#endif
