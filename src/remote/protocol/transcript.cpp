// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/transcript.h"

#include <algorithm>

namespace sartor::remote {

namespace {

std::string_view view(const base::ContentKey &key) {
  return {reinterpret_cast<const char *>(key.data()), key.size()};
}

base::ContentKey next(const base::ContentKey &state, Kind kind, std::string_view body) {
  const char number = static_cast<char>(kind);
  return base::hash_of({view(state), std::string_view(&number, 1), body});
}

} // namespace

void Transcript::add(Kind kind, std::string_view body) { state_ = next(state_, kind, body); }

std::string Transcript::signed_text(Kind kind, std::string_view body) const {
  return "Sartor's answer, 1: " + std::string(view(next(state_, kind, body)));
}

base::Signature Transcript::signature(Kind kind, std::string_view body,
                                      const base::SecretKey &key) const {
  return key.sign(signed_text(kind, body));
}

std::string Transcript::sign(Kind kind, std::string body, const base::SecretKey &key) const {
  const base::Signature signature = this->signature(kind, body, key);
  body.append(reinterpret_cast<const char *>(signature.data()), signature.size());
  return body;
}

bool Transcript::open(Kind kind, std::string &body, const base::PublicKey &key) const {
  base::Signature signature;
  if (body.size() < signature.size())
    return false;
  std::copy(body.end() - signature.size(), body.end(), signature.begin());
  body.resize(body.size() - signature.size());
  return base::is_signed(signed_text(kind, body), signature, key);
}

} // namespace sartor::remote
