// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_SIGNALS_FAULT_HANDLERS_H
#define SARTOR_RUNTIME_SIGNALS_FAULT_HANDLERS_H

#include <csignal>

namespace sartor::runtime {

/// Handlers of the signals that an instruction of a thread can cause: SIGSEGV, SIGBUS, SIGFPE,
/// SIGILL and SIGTRAP. They are installed in front of the program's own. A signal that is not
/// Sartor's reaches the program's handler, or has the default action, as if Sartor were not there,
/// with the same information and context.
///
/// A handler that the program installs later replaces Sartor's, unless it calls the one that was
/// there before. install() puts Sartor's in front of it.
class FaultHandlers {
public:
  /// Looks at a signal, in the signal handler. If it returns true the instruction is tried again.
  using Look = bool (*)(int signal, const siginfo_t *info, void *context);
  /// The order in which a signal is looked at.
  enum class Place : unsigned char {
    pages, ///< Writes to protected pages: no fault as far as the program is concerned.
    crashes,
  };

  /// Has `look` look at a signal from now on, also above a handler that the program has installed
  /// since. Thread-safe; takes no lock that fork() waits for. Returns 0 or an error's number: EBUSY
  /// if the program has installed too many handlers in between. A signal that the program ignores
  /// is left to it if only crashes are looked for.
  static int install(int signal, Place place, Look look);
};

} // namespace sartor::runtime

#endif
