// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/tls/tls_stream.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/no_pipe_signal.h"
#include "remote/tls/identity.h"

namespace sartor::tls {

namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 20ms;

std::unexpected<Failure> lost(std::string why) {
  return std::unexpected(Failure{ErrorCode::compiler_lost, "the server", std::move(why),
                                 "the active variant stays; ask again"});
}

std::unexpected<Failure> refused(std::string why, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::server_refused, "the server", std::move(why), std::move(remedy)});
}

/// Returns the reason why the last call of OpenSSL has failed.
Failure why_failed(int saved_errno) {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (error == 0)
    return lost(saved_errno ? std::generic_category().message(saved_errno) : "has gone").error();
  switch (ERR_GET_REASON(error)) {
  case SSL_R_CERTIFICATE_VERIFY_FAILED:
    return refused("has another key than the one that was named",
                   "see whether it is the server that is meant, and the key the one that it shows")
        .error();
  case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
  case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
  case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
  case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
    return refused("does not know this program's key",
                   "put the .pub that belongs to it among the server's --clients")
        .error();
  default: {
    const char *reason = ERR_reason_error_string(error);
    return lost(std::string("does not speak TLS as it should: ") + (reason ? reason : "unknown"))
        .error();
  }
  }
}

} // namespace

Result<Connected> TlsStream::connect(int socket, const base::SecretKey &own,
                                     std::span<const base::PublicKey> accepted,
                                     const remote::Channel::GoOn &go_on) {
  std::unique_ptr<TlsStream> made(new TlsStream(socket));
  const Knows knows = [&](const base::PublicKey &key) {
    return std::ranges::find(accepted, key) != accepted.end();
  };
  const Context context = make_context(Side::client, {&own, 1}, knows);
  if (!context)
    return lost("OpenSSL cannot do TLS 1.3 with Ed25519 here");
  made->connection_.reset(SSL_new(context.get()));
  if (!made->connection_ || SSL_set_fd(made->connection_.get(), socket) != 1 ||
      SSL_set_tlsext_host_name(made->connection_.get(), accepted_name(accepted).c_str()) != 1)
    return lost("OpenSSL has no memory");
  if (auto shaken = made->shake_hands(go_on); !shaken)
    return std::unexpected(std::move(shaken.error()));
  const auto server = peer_of(made->connection_.get());
  if (!server)
    return lost("has shown no key");
  return Connected{std::move(made), *server};
}

Result<void> TlsStream::shake_hands(const remote::Channel::GoOn &go_on) {
  const base::NoPipeSignal none;
  for (;;) {
    if (!is_still_ours())
      return lost(remote::kClosedByProgram);
    ERR_clear_error();
    const int done = SSL_connect(connection_.get());
    if (done == 1)
      return {};
    const auto again = wait_for(done, kTick);
    if (!again)
      return std::unexpected(again.error());
    if (!*again)
      return lost("has gone while keys were exchanged");
    if (!go_on())
      return lost("does not answer while keys are exchanged");
  }
}

Result<bool> TlsStream::wait_for(int returned, std::chrono::milliseconds patience) {
  const int saved_errno = errno;
  const int why = SSL_get_error(connection_.get(), returned);
  if (why == SSL_ERROR_ZERO_RETURN)
    return false;
  if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE)
    return std::unexpected(why_failed(why == SSL_ERROR_SYSCALL ? saved_errno : 0));
  const auto what = static_cast<short>(why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT);
  pollfd wanted{socket_.get(), what, 0};
  if (poll(&wanted, 1, static_cast<int>(patience.count())) < 0 && errno != EINTR)
    return lost(std::generic_category().message(errno));
  return true;
}

Result<std::optional<std::size_t>> TlsStream::read(char *bytes, std::size_t most,
                                                   std::chrono::milliseconds patience) {
  const base::NoPipeSignal none;
  // The second attempt follows after bytes have arrived, which need not be a complete record.
  for (const auto wait : {patience, 0ms}) {
    if (!is_still_ours())
      return lost(remote::kClosedByProgram);
    ERR_clear_error();
    std::size_t taken = 0;
    errno = 0;
    const int done = SSL_read_ex(connection_.get(), bytes, most, &taken);
    if (done == 1)
      return taken;
    const auto again = wait_for(done, wait);
    if (!again)
      return std::unexpected(again.error());
    if (!*again)
      return std::size_t{0};
  }
  return std::nullopt;
}

Result<std::size_t> TlsStream::write(std::string_view bytes, std::chrono::milliseconds patience) {
  if (!is_still_ours())
    return lost(remote::kClosedByProgram);
  const base::NoPipeSignal none;
  ERR_clear_error();
  std::size_t sent = 0;
  errno = 0;
  const int done = SSL_write_ex(connection_.get(), bytes.data(), bytes.size(), &sent);
  if (done == 1)
    return sent;
  const auto again = wait_for(done, patience);
  if (!again)
    return std::unexpected(again.error());
  return *again ? Result<std::size_t>(std::size_t{0}) : lost("has gone");
}

bool TlsStream::has_ended() {
  if (!is_still_ours())
    return true;
  const base::NoPipeSignal none;
  char byte = 0;
  ERR_clear_error();
  std::size_t taken = 0;
  const int done = SSL_peek_ex(connection_.get(), &byte, 1, &taken);
  const int why = SSL_get_error(connection_.get(), done);
  return done != 1 && why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE;
}

void TlsStream::end() {
  if (!is_still_ours())
    return;
  const base::NoPipeSignal none;
  ERR_clear_error();
  (void)SSL_shutdown(connection_.get());
  ERR_clear_error();
  shutdown(socket_.get(), SHUT_WR);
}

} // namespace sartor::tls
