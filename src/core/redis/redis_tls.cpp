// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/redis/redis_tls.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include "base/file/file_handle.h"

namespace sartor::core {

namespace {

std::unexpected<Failure> no_tls(const std::string &host, std::string why,
                                std::string remedy = "check the server and its certificate") {
  ERR_clear_error();
  return std::unexpected(
      Failure{ErrorCode::store_unreachable, host, std::move(why), std::move(remedy)});
}

std::string openssl_says() {
  const char *reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return reason ? reason : "unknown error";
}

using Connection = std::unique_ptr<SSL, decltype(&SSL_free)>;

class OverOpenssl final : public RedisTls {
public:
  OverOpenssl(Connection connection, int socket, std::string host)
      : connection_(std::move(connection)), socket_(socket), host_(std::move(host)) {}

  Result<std::size_t> read(std::span<char> into, Deadline until) override {
    return repeat(until, [&](std::size_t &done) {
      return SSL_read_ex(connection_.get(), into.data(), into.size(), &done);
    });
  }

  Result<std::size_t> write(std::string_view bytes, Deadline until) override {
    return repeat(until, [&](std::size_t &done) {
      return SSL_write_ex(connection_.get(), bytes.data(), bytes.size(), &done);
    });
  }

  Result<void> handshake(Deadline until) {
    auto done = repeat(until, [&](std::size_t &) { return SSL_connect(connection_.get()); });
    if (done)
      return {};
    const long verified = SSL_get_verify_result(connection_.get());
    if (verified == X509_V_OK)
      return std::unexpected(std::move(done.error()));
    return no_tls(host_,
                  std::string("has a certificate that is not accepted: ") +
                      X509_verify_cert_error_string(verified),
                  "use the name in its certificate, and name the CA's file if it is not one "
                  "of the system's");
  }

private:
  /// Calls `step` until OpenSSL no longer has to wait for the socket.
  template <class Step> Result<std::size_t> repeat(Deadline until, const Step &step) {
    for (;;) {
      if (base::FileIdentity(socket_) != identity_)
        return no_tls(host_, "the program has closed the connection's descriptor");
      ERR_clear_error();
      errno = 0;
      std::size_t done = 0;
      const int returned = step(done);
      if (returned == 1)
        return done;
      const int saved_errno = errno;
      const int why = SSL_get_error(connection_.get(), returned);
      if (why == SSL_ERROR_ZERO_RETURN || (why == SSL_ERROR_SYSCALL && saved_errno == 0))
        return no_tls(host_, "has closed the connection");
      if (why == SSL_ERROR_SYSCALL)
        return no_tls(host_, std::generic_category().message(saved_errno));
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE)
        return no_tls(host_, "TLS failed: " + openssl_says());
      if (!wait(why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, until))
        return no_tls(host_, "takes too long to answer");
    }
  }

  [[nodiscard]] bool wait(short what, Deadline until) const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd wanted{socket_, what, 0};
    return left.count() > 0 && poll(&wanted, 1, static_cast<int>(left.count())) != 0;
  }

  const Connection connection_;
  const int socket_;
  const base::FileIdentity identity_{socket_};
  const std::string host_;
};

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

Result<Context> make_context(const RedisIdentity &server) {
  OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr); // the program decides how it exits
  Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1)
    return no_tls(server.host, "TLS 1.2 is not available: " + openssl_says());
  const bool has_roots = server.ca_file.empty()
                             ? SSL_CTX_set_default_verify_paths(context.get()) == 1
                             : SSL_CTX_load_verify_file(context.get(), server.ca_file.c_str()) == 1;
  if (!has_roots)
    return no_tls(server.host, server.ca_file.string() + ": " + openssl_says(),
                  "name a file of PEM certificates of CAs");
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

bool expect_host(SSL &connection, const std::string &host) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(&connection), host.c_str()) == 1)
    return true;
  SSL_set_hostflags(&connection, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(&connection, host.c_str()) == 1 &&
         SSL_set_tlsext_host_name(&connection, host.c_str()) == 1;
}

} // namespace

Result<std::unique_ptr<RedisTls>> connect_tls(int socket, const RedisIdentity &server,
                                              RedisTls::Deadline until) {
  const auto context = make_context(server);
  if (!context)
    return std::unexpected(context.error());
  const int flags = fcntl(socket, F_GETFL);
  if (flags < 0 || fcntl(socket, F_SETFL, flags | O_NONBLOCK) != 0)
    return no_tls(server.host, std::generic_category().message(errno));
  Connection connection(SSL_new(context->get()), SSL_free);
  if (!connection || SSL_set_fd(connection.get(), socket) != 1 ||
      !expect_host(*connection, server.host))
    return no_tls(server.host, "no TLS to a host of that name: " + openssl_says());
  auto made = std::make_unique<OverOpenssl>(std::move(connection), socket, server.host);
  if (auto shaken = made->handshake(until); !shaken)
    return std::unexpected(std::move(shaken.error()));
  return made;
}

} // namespace sartor::core
