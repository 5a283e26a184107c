// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_TRANSCRIPT_H
#define SARTOR_REMOTE_PROTOCOL_TRANSCRIPT_H

#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/keys.h"
#include "remote/protocol/message.h"

namespace sartor::remote {

/// What an answer of a server's hangs on: the greeting, the module that is used, the question, and
/// the calls that were made for it. A server signs that together with the answer, so that an answer
/// is none to anything else; given again to the same question, it is the answer. A value.
class Transcript {
public:
  /// Whether all that follows hangs on such a question: with whom one talks, and about which
  /// module.
  static bool is_lasting(Kind question) {
    return question == Kind::hello || question == Kind::device_hello ||
           question == Kind::use_module;
  }

  /// What was said next, by either side.
  void add(Kind kind, std::string_view body);
  /// Tells it from all others.
  [[nodiscard]] const base::ContentKey &state() const { return state_; }

  /// Of an answer to what was said. `kind`: the answer's.
  [[nodiscard]] base::Signature signature(Kind kind, std::string_view body,
                                          const base::SecretKey &key) const;
  /// The answer's body with the signature behind it. `kind`: the answer's.
  [[nodiscard]] std::string sign(Kind kind, std::string body, const base::SecretKey &key) const;
  /// Removes the signature. False if there is none, or it is not this key's.
  bool open(Kind kind, std::string &body, const base::PublicKey &key) const;

private:
  [[nodiscard]] std::string signed_text(Kind kind, std::string_view body) const;

  base::ContentKey state_{};
};

} // namespace sartor::remote

#endif
