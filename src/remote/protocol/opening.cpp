// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/opening.h"

#include <algorithm>
#include <utility>

namespace sartor::remote {

namespace {

/// The number of bytes of a key that identify it among the accepted ones.
constexpr std::size_t kHint = 8;

template <class Bytes> std::string_view view(const Bytes &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

template <class Bytes> void take(std::string_view &from, Bytes &bytes) {
  std::copy_n(from.begin(), bytes.size(), reinterpret_cast<char *>(bytes.data()));
  from.remove_prefix(bytes.size());
}

std::string signed_text(std::string_view message, std::string_view shown,
                        const base::PublicKey &key) {
  return "Sartor's channel, 1: " + std::string(view(base::hash_of({message, shown, view(key)})));
}

/// Computes session keys; false if the peer's key is one that makes all secrets equal.
using Agree = int (*)(unsigned char *, unsigned char *, const unsigned char *,
                      const unsigned char *, const unsigned char *);
template <class Key>
std::optional<Seal> agree(Agree agree, const Key &shown, const Key &secret, const Key &theirs) {
  Seal::Key receive;
  Seal::Key send;
  if (agree(receive.data(), send.data(), shown.data(), secret.data(), theirs.data()) != 0)
    return std::nullopt;
  Seal seal(receive, send);
  sodium_memzero(receive.data(), receive.size());
  sodium_memzero(send.data(), send.size());
  return seal;
}

} // namespace

Opening::Opening(std::vector<base::PublicKey> accepted) : accepted_(std::move(accepted)) {
  crypto_kx_keypair(shown_.data(), secret_.data());
  message_ = view(shown_);
  const std::size_t most = (kMostOpening - message_.size()) / kHint;
  for (const base::PublicKey &key : std::span(accepted_).first(std::min(accepted_.size(), most)))
    message_ += view(key).substr(0, kHint);
}

Opening::~Opening() { sodium_memzero(secret_.data(), secret_.size()); }

std::optional<Opened> Opening::finish(std::string_view answer) const {
  decltype(shown_) theirs;
  base::PublicKey server;
  base::Signature signature;
  if (answer.size() != theirs.size() + server.size() + signature.size())
    return std::nullopt;
  std::string_view rest = answer;
  take(rest, theirs);
  take(rest, server);
  take(rest, signature);
  if (!accepted_.empty() && std::ranges::find(accepted_, server) == accepted_.end())
    return std::nullopt;
  if (!base::is_signed(signed_text(message_, view(theirs), server), signature, server))
    return std::nullopt;
  auto seal = agree(crypto_kx_client_session_keys, shown_, secret_, theirs);
  if (!seal)
    return std::nullopt;
  return Opened{*seal, server, base::hash_of({message_, answer})};
}

std::optional<Answered> answer_opening(std::string_view message,
                                       std::span<const base::SecretKey> keys) {
  std::array<std::uint8_t, crypto_kx_PUBLICKEYBYTES> theirs;
  std::array<std::uint8_t, crypto_kx_PUBLICKEYBYTES> shown;
  std::array<std::uint8_t, crypto_kx_SECRETKEYBYTES> secret;
  std::string_view hints = message;
  if (message.size() > kMostOpening || message.size() < theirs.size() ||
      (message.size() - theirs.size()) % kHint != 0)
    return std::nullopt;
  take(hints, theirs);
  const base::SecretKey *key = &keys.front();
  for (; !hints.empty(); hints.remove_prefix(kHint)) {
    const auto known = std::ranges::find_if(keys, [&](const base::SecretKey &each) {
      return view(each.public_key()).starts_with(hints.substr(0, kHint));
    });
    if (known == keys.end())
      continue;
    key = &*known;
    break;
  }
  crypto_kx_keypair(shown.data(), secret.data());
  auto seal = agree(crypto_kx_server_session_keys, shown, secret, theirs);
  sodium_memzero(secret.data(), secret.size());
  if (!seal)
    return std::nullopt;
  const base::PublicKey server = key->public_key();
  const base::Signature signature = key->sign(signed_text(message, view(shown), server));
  std::string answer(view(shown));
  answer += view(server);
  answer += view(signature);
  const base::ContentKey binding = base::hash_of({message, answer});
  return Answered{std::move(answer), {*seal, server, binding}, key};
}

std::string device_proof_text(const base::ContentKey &binding) {
  return "Sartor's device, 2: " + std::string(view(binding));
}

} // namespace sartor::remote
