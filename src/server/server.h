// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SERVER_SERVER_H
#define SARTOR_SERVER_SERVER_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "observe/result.h"
#include "remote/server_address.h"
#include "server/admission.h"
#include "server/asio.h"
#include "server/conversation.h"
#include "server/shared.h"
#include "tls/identity.h"

namespace sartor::server {

/// A specialization server: listens, and has a conversation with whoever comes. One thread runs
/// it; compilers are processes of their own.
class Server {
public:
  /// Fails with file_error, no_compiler.
  static Result<std::unique_ptr<Server>> open(ServerOptions options);

  /// Until SIGTERM or SIGINT; what is being answered then is, as far as it takes no more than some
  /// seconds. SIGHUP has the clients read again. Fails with file_error where it cannot listen.
  Result<void> run();

private:
  explicit Server(std::unique_ptr<Shared> shared);

  /// What is in directories, and may be read again.
  Result<void> read_files();
  Result<void> listen(const std::string &address);
  Result<void> listen_for_devices(const std::string &address);
  Result<asio::ip::tcp::acceptor> listen_by_tcp(const std::string &address);
  template <class Acceptor>
  Result<void> open(Acceptor &acceptor, const typename Acceptor::endpoint_type &endpoint,
                    const std::string &address);
  asio::awaitable<void> accept(asio::ip::tcp::acceptor acceptor);
  asio::awaitable<void> accept(asio::local::stream_protocol::acceptor acceptor);
  template <class Acceptor, class Serve>
  asio::awaitable<void> accept_all(Acceptor &acceptor, Serve serve);
  asio::awaitable<void> accept_devices(asio::ip::tcp::acceptor acceptor);
  asio::awaitable<void> serve(asio::ip::tcp::socket socket);
  asio::awaitable<void> serve_device(asio::ip::tcp::socket socket);
  /// A sealed connection.
  struct Channel {
    const keys::SecretKey *key; ///< The server's, which the client accepts.
    store::ContentKey binding;  ///< See remote::Opened.
  };
  asio::awaitable<std::optional<Channel>> open_channel(Wire &wire, Account &account);
  asio::awaitable<std::optional<std::string>> prove(Wire &wire, const store::ContentKey &binding);
  asio::awaitable<void> serve(asio::local::stream_protocol::socket socket);
  /// `key`: what signs the answers.
  asio::awaitable<void> converse(Wire &wire, const Admission &admission, Port port,
                                 const keys::SecretKey &key);
  asio::awaitable<void> handle_signals();
  asio::awaitable<void> tell_metrics();

  asio::io_context loop_{1};
  std::unique_ptr<Shared> shared_;
  tls::Knows knows_;
  asio::ssl::context context_{asio::ssl::context::tls_server};
  std::vector<std::string> listened_; ///< Addresses, with the ports that were free.
  std::vector<std::string> sockets_;  ///< Files that go with us.
};

} // namespace sartor::server

#endif
