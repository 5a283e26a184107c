// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_SERVER_H
#define SARTOR_REMOTE_SERVER_SERVER_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "remote/http/http.h"
#include "remote/protocol/server_address.h"
#include "remote/server/asio.h"
#include "remote/server/clients/admission.h"
#include "remote/server/conversation.h"
#include "remote/server/local_socket.h"
#include "remote/server/shared.h"
#include "remote/tls/identity.h"

namespace sartor::server {

/// A specialization server: listens, and has a conversation with each client. It is
/// single-threaded; compilers are separate processes.
class Server {
public:
  /// Fails with file_error, no_compiler.
  static Result<std::unique_ptr<Server>> open(ServerOptions options);

  /// Runs until SIGTERM or SIGINT. Requests in progress are then completed, if that takes no more
  /// than some seconds. SIGHUP reads keys and modules again. Fails with file_error if it cannot
  /// listen.
  Result<void> run();

private:
  explicit Server(std::unique_ptr<Shared> shared);

  using Local = asio::local::stream_protocol;

  /// Reads keys and modules, possibly again: all of them or, if one cannot be read, none.
  Result<void> read_files();
  void read_files_again();
  void warn_of_missing_keys() const;
  Result<void> listen(const std::string &address);
  Result<void> listen_for_devices(const std::string &address);
  Result<std::shared_ptr<asio::ip::tcp::acceptor>> listen_by_tcp(const std::string &address);
  Result<void> listen_locally(const std::string &path);
  template <class Acceptor> std::shared_ptr<Acceptor> keep(Acceptor acceptor);
  asio::awaitable<void> accept(std::shared_ptr<asio::ip::tcp::acceptor> acceptor);
  asio::awaitable<void> accept(std::shared_ptr<Local::acceptor> acceptor);
  template <class Acceptor, class Serve>
  asio::awaitable<void> accept_all(Acceptor &acceptor, Serve serve);
  asio::awaitable<void> accept_devices(std::shared_ptr<asio::ip::tcp::acceptor> acceptor);
  asio::awaitable<void> serve(asio::ip::tcp::socket socket);
  asio::awaitable<void> serve_device(asio::ip::tcp::socket socket);
  /// A sealed connection.
  struct Channel {
    ServerKey key;
    base::ContentKey binding; ///< See remote::Opened.
  };
  asio::awaitable<std::optional<Channel>> open_channel(Wire &wire, Account &account);
  asio::awaitable<std::optional<base::PublicKey>> prove(Wire &wire,
                                                        const base::ContentKey &binding);
  asio::awaitable<void> serve(Local::socket socket);
  /// Finds the owner of the peer's key. Returns the reason for a refusal at that port, or null.
  const char *identify(Peer &peer, Port port) const;
  asio::awaitable<void> converse(Wire &wire, Peer peer, const Admission &admission, Port port,
                                 ServerKey key);
  asio::awaitable<void> handle_signals(std::unique_ptr<asio::signal_set> signals);
  /// Serves /metrics, /livez and /readyz, if configured.
  Result<void> show_health();
  [[nodiscard]] remote::HttpAnswer health(std::string_view path);
  /// Stops listening, ends connections once their requests are answered, and stops the loop after
  /// `patience` at the latest. A later call can shorten the time.
  asio::awaitable<void> drain(std::chrono::milliseconds patience);
  void update_gauges();
  void report_evictions();
  void report_compiler(const CompilerEvent &event);
  /// Runs periodic tasks.
  asio::awaitable<void> take_care();

  asio::io_context loop_{1};
  std::unique_ptr<Shared> shared_;
  tls::Knows knows_;
  asio::ssl::context context_{asio::ssl::context::tls_server};
  remote::Http http_{loop_,
                     [this](const remote::HttpRequest &request) { return health(request.path); }};
  std::vector<LocalSocket> sockets_;                 ///< Their files are removed by the destructor.
  std::vector<std::function<void()>> closers_;       ///< They close the acceptors.
  std::chrono::steady_clock::time_point drained_at_; ///< The latest end of drain().
  std::uint64_t counted_drops_ = 0;  ///< The number of dropped answers that the metrics include.
  std::uint64_t reported_drops_ = 0; ///< The number of dropped answers that the log includes.
  unsigned counted_starts_ = 0;      ///< The number of started compilers that the metrics include.
};

} // namespace sartor::server

#endif
