// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_PAGES_H
#define SARTOR_BASE_PAGES_H

#include <csignal>
#include <cstddef>

#include <sys/mman.h>

namespace sartor::base {

/// Unmaps memory of base::map_pages().
inline void release(void *pages, std::size_t bytes) { munmap(pages, bytes); }

/// Blocks signals while one exists.
class NoSignals {
public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals &) = delete;
  NoSignals &operator=(const NoSignals &) = delete;

private:
  sigset_t before_{};
};

} // namespace sartor::base

#endif
