// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A server with the right key that asks a client more than it should.
#ifndef SARTOR_TEST_SERVER_FORWARD_H
#define SARTOR_TEST_SERVER_FORWARD_H

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "line.h"
#include "remote/protocol/opening.h"
#include "remote/protocol/transcript.h"
#include "server_process.h"

namespace sartor::server {

/// Asks a client a question of its server; returns the answer, or nothing if there is none.
inline std::optional<remote::Frame> ask(remote::Channel &client, const remote::Frame &question,
                                        remote::Transcript &transcript) {
  if (!client.send(question.kind, question.body, always))
    return std::nullopt;
  auto said = client.receive(always);
  if (!said || !*said)
    return std::nullopt;
  transcript.add(question.kind, question.body);
  transcript.add((*said)->kind, (*said)->body);
  return std::move(*said);
}

/// Lets another server answer a client, and signs with that server's key. `before` is called before
/// a question of the client is passed on, and may ask() the client; it returns false to end.
inline void forward(int client, const ServerProcess &server,
                    const std::function<bool(remote::Channel &, const remote::Frame &question,
                                             remote::Transcript &)> &before) {
  const auto key = *base::SecretKey::read(server.file("server.key"));
  remote::Channel here(std::make_unique<remote::SocketStream>(client), std::size_t{1} << 30);
  const auto opening = here.receive(always);
  if (!opening || !*opening)
    return;
  const auto answered = remote::answer_opening((*opening)->body, {&key, 1});
  ASSERT_TRUE(answered.has_value());
  ASSERT_TRUE(here.send(remote::Kind::opened, answered->answer, always));
  here.seal(answered->opened.seal, remote::kMostAnswer);
  Line there(server.file("socket"));
  remote::Transcript lasting;
  for (;;) {
    const auto question = here.receive(always);
    if (!question || !*question)
      return;
    const auto &[kind, body] = **question;
    remote::Transcript transcript = lasting;
    transcript.add(kind, body);
    if (remote::Transcript::is_lasting(kind))
      lasting = transcript;
    if (!before(here, **question, transcript))
      return;
    auto answer = there.ask_and_hear(kind, body);
    for (; answer && (answer->kind == remote::Kind::call || answer->kind == remote::Kind::page);
         answer = there.hear()) {
      const auto said = ask(here, *answer, transcript);
      if (!said || !there.ask(said->kind, said->body))
        return;
    }
    if (!answer)
      return;
    if (answer->kind != remote::Kind::failed) {
      answer->body.resize(answer->body.size() - sizeof(base::Signature));
      answer->body = transcript.sign(answer->kind, std::move(answer->body), key);
    }
    if (!here.send(answer->kind, answer->body, always))
      return;
  }
}

} // namespace sartor::server

#endif
