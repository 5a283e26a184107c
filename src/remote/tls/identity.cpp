// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/tls/identity.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

namespace sartor::tls {

namespace {

template <auto release> struct Release {
  template <class T> void operator()(T *object) const { release(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Release<X509_free>>;

Key to_openssl(const base::SecretKey &key) {
  base::SecretKey::Seed seed = key.seed();
  Key made(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size()));
  sodium_memzero(seed.data(), seed.size());
  return made;
}

Certificate certificate_of(EVP_PKEY &key) {
  Certificate made(X509_new());
  if (!made || X509_set_version(made.get(), X509_VERSION_3) != 1 ||
      ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1) != 1 ||
      !X509_time_adj_ex(X509_getm_notBefore(made.get()), 0, 0, nullptr) ||
      !X509_time_adj_ex(X509_getm_notAfter(made.get()), 36500, 0, nullptr) ||
      X509_set_pubkey(made.get(), &key) != 1 || X509_sign(made.get(), &key, nullptr) == 0)
    return nullptr;
  return made;
}

std::optional<base::PublicKey> key_in(X509 *certificate) {
  EVP_PKEY *key = certificate ? X509_get0_pubkey(certificate) : nullptr;
  base::PublicKey raw;
  std::size_t size = raw.size();
  if (!key || EVP_PKEY_get_id(key) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_public_key(key, raw.data(), &size) != 1 || size != raw.size())
    return std::nullopt;
  return raw;
}

// A refused key, which is kept with the connection.
int offered_key() {
  static const int index = SSL_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void *, void *key, CRYPTO_EX_DATA *, int, long, void *) {
        delete static_cast<base::PublicKey *>(key);
      });
  return index;
}

void keep_offered(X509_STORE_CTX *store, const base::PublicKey &key) {
  auto *connection =
      static_cast<SSL *>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  if (!connection || SSL_get_ex_data(connection, offered_key()))
    return;
  auto kept = std::make_unique<base::PublicKey>(key);
  if (SSL_set_ex_data(connection, offered_key(), kept.get()) == 1)
    (void)kept.release();
}

// Replaces OpenSSL's own check, which requires that an authority has signed the certificate. The
// handshake shows that the other side has the secret key.
int check(X509_STORE_CTX *store, void *knows) {
  const auto key = key_in(X509_STORE_CTX_get0_cert(store));
  if (key && (*static_cast<const Knows *>(knows))(*key))
    return 1;
  if (key)
    keep_offered(store, *key);
  X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_UNTRUSTED);
  return 0;
}

/// The number of hexadecimal digits that identify a key.
constexpr std::size_t kHint = 16;
/// A server name has at most 255 bytes.
constexpr std::size_t kMostHints = 255 / (kHint + 1);

std::string hint_of(const base::PublicKey &key) { return base::key_text(key).substr(0, kHint); }

/// A key of this side, with its certificate.
struct Identity {
  std::string hint;
  Key key;
  Certificate certificate;
};
using Identities = std::vector<Identity>;

int index_of_identities() {
  static const int index =
      SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr,
                               [](void *, void *identities, CRYPTO_EX_DATA *, int, long, void *) {
                                 delete static_cast<Identities *>(identities);
                               });
  return index;
}

// Shows the first key that the client accepts. An unknown name selects the first key.
int choose_identity(SSL *connection, int * /*alert*/, void * /*unused*/) {
  const char *name = SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name);
  const auto *identities = static_cast<const Identities *>(
      SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), index_of_identities()));
  for (std::string_view rest = name ? name : ""; rest.size() >= kHint;) {
    for (const auto &[hint, key, certificate] : *identities)
      if (rest.starts_with(hint)) {
        SSL_use_certificate(connection, certificate.get());
        SSL_use_PrivateKey(connection, key.get());
        return SSL_TLSEXT_ERR_OK;
      }
    rest.remove_prefix(std::min(rest.size(), kHint + 1));
  }
  return SSL_TLSEXT_ERR_NOACK;
}

std::unique_ptr<Identities> identities_of(std::span<const base::SecretKey> own) {
  auto identities = std::make_unique<Identities>();
  for (const base::SecretKey &each : own) {
    Key key = to_openssl(each);
    Certificate certificate = key ? certificate_of(*key) : nullptr;
    if (!certificate)
      return nullptr;
    identities->push_back({hint_of(each.public_key()), std::move(key), std::move(certificate)});
  }
  return identities;
}

} // namespace

Context make_context(Side side, std::span<const base::SecretKey> own, const Knows &knows) {
  OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr); // the program decides how it exits
  Context context(SSL_CTX_new(side == Side::server ? TLS_server_method() : TLS_client_method()),
                  SSL_CTX_free);
  auto identities = identities_of(own);
  if (!context || !identities ||
      SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) != 1 ||
      SSL_CTX_use_certificate(context.get(), identities->front().certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), identities->front().key.get()) != 1 ||
      SSL_CTX_set_ex_data(context.get(), index_of_identities(), identities.get()) != 1)
    return {nullptr, SSL_CTX_free};
  (void)identities.release(); // the context owns them
  if (side == Side::server)
    SSL_CTX_set_tlsext_servername_callback(context.get(), choose_identity);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_cert_verify_callback(context.get(), check, const_cast<Knows *>(&knows));
  // The key is shown in each handshake.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  return context;
}

std::string accepted_name(std::span<const base::PublicKey> accepted) {
  std::string name;
  for (const base::PublicKey &key : accepted.first(std::min(accepted.size(), kMostHints)))
    name += (name.empty() ? "" : ".") + hint_of(key);
  return name;
}

std::optional<base::PublicKey> peer_of(const SSL *connection) {
  return key_in(SSL_get0_peer_certificate(connection));
}

std::optional<base::PublicKey> own_of(const SSL *connection) {
  return key_in(SSL_get_certificate(connection));
}

std::optional<base::PublicKey> refused_key_of(const SSL *connection) {
  const auto *kept =
      static_cast<const base::PublicKey *>(SSL_get_ex_data(connection, offered_key()));
  return kept ? std::optional(*kept) : std::nullopt;
}

} // namespace sartor::tls
