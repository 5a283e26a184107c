// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_TRANSCRIPT_H
#define SARTOR_REMOTE_PROTOCOL_TRANSCRIPT_H

#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/keys.h"
#include "remote/protocol/message.h"

namespace sartor::remote {

/// The input that a server's answer depends on: the greeting, the module that is used, the
/// question, and the calls that were made for it. A server signs it together with the answer, so
/// that an answer is valid for nothing else; repeated to the same question, it is valid. A value.
class Transcript {
public:
  /// True if all following messages depend on such a question: it determines the peers, or the
  /// module.
  static bool is_lasting(Kind question) {
    return question == Kind::hello || question == Kind::device_hello ||
           question == Kind::use_module;
  }

  /// Adds the next message, of either side.
  void add(Kind kind, std::string_view body);
  /// Identifies the transcript.
  [[nodiscard]] const base::ContentKey &state() const { return state_; }

  /// Returns the signature of an answer to the transcript. `kind` is the answer's.
  [[nodiscard]] base::Signature signature(Kind kind, std::string_view body,
                                          const base::SecretKey &key) const;
  /// Returns the answer's body followed by the signature. `kind` is the answer's.
  [[nodiscard]] std::string sign(Kind kind, std::string body, const base::SecretKey &key) const;
  /// Removes the signature. Returns false if there is none, or it is not this key's.
  bool open(Kind kind, std::string &body, const base::PublicKey &key) const;

private:
  [[nodiscard]] std::string signed_text(Kind kind, std::string_view body) const;

  base::ContentKey state_{};
};

} // namespace sartor::remote

#endif
