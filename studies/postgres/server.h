// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_POSTGRES_SERVER_H
#define STUDIES_POSTGRES_SERVER_H

#include <cstddef>
#include <memory>
#include <string>

#include <libpq-fe.h>

#include "process.h"

namespace postgres {

/// A private server with the study's tables, which ends with this object.
class Server {
public:
  /// Starts a server with `provider`, a JIT provider's file or "stock", and makes tables with so
  /// many orders, which takes a while. `name` is that of its directory. Throws std::runtime_error
  /// if this fails.
  Server(const std::string &name, const std::string &provider, const std::string &settings,
         std::size_t orders);
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;
  ~Server();

  /// Where it listens.
  [[nodiscard]] const std::string &host() const { return host_; }

private:
  sartor::bench::Process process_;
  std::string host_;
};

/// A session with a server. Its members throw std::runtime_error if a statement fails.
class Session {
public:
  Session(const Server &server, const std::string &settings);

  /// Returns the rows of the last of these statements, a line for each.
  [[nodiscard]] std::string ask(const std::string &statements) const;
  /// Returns the milliseconds of processor time that the backend's main thread has used.
  [[nodiscard]] double processor_time() const;

private:
  std::unique_ptr<PGconn, void (*)(PGconn *)> connection_;
  std::string schedule_; ///< The kernel's file about the thread.
};

} // namespace postgres

#endif
