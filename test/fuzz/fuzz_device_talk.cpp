// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that asks a server for variants. The server has the right key and an authenticated
// channel, and sends its side of a conversation.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/keys.h"
#include "fuzz/conversation.h"
#include "fuzz/device_side.h"
#include "remote/protocol/device_message.h"
#include "remote/protocol/opening.h"
#include "remote/protocol/transcript.h"

extern "C" {
#include "device/link.h"
}

namespace sartor::remote {

namespace {

base::SecretKey make_key() {
  std::string directory = std::filesystem::temp_directory_path() / "fuzz-device-XXXXXX";
  if (!mkdtemp(directory.data()) || !base::make_keys(directory + "/server"))
    std::abort();
  auto key = base::SecretKey::read(directory + "/server.key");
  std::filesystem::remove_all(directory);
  return *key;
}

const base::SecretKey &server_key() {
  static const base::SecretKey key = make_key();
  return key;
}

class Server {
public:
  explicit Server(const Conversation &all) {
    std::ranges::copy_if(all, std::back_inserter(said_), &Said::by_server);
  }

  void begin() {
    in_.clear();
    out_.clear();
    seal_.reset();
    is_impostor_ = false;
    lasting_ = {};
  }

  void take(std::string_view bytes) {
    in_ += bytes;
    std::uint32_t length = 0;
    while (in_.size() >= sizeof length) {
      std::memcpy(&length, in_.data(), sizeof length);
      if (in_.size() - sizeof length < length)
        return;
      std::string frame = in_.substr(sizeof length, length);
      in_.erase(0, sizeof length + length);
      if (seal_ && !seal_->open(frame))
        std::abort(); // the device's own frames are valid
      hear(static_cast<Kind>(frame.front()), frame.substr(1));
    }
  }

  bool give(std::span<char> to) {
    if (out_.size() < to.size())
      return false;
    std::memcpy(to.data(), out_.data(), to.size());
    out_.erase(0, to.size());
    return true;
  }

private:
  void hear(Kind kind, const std::string &body) {
    if (is_impostor_)
      std::abort(); // the device continues with a server that has another key
    if (!seal_)
      return open(body);
    if (kind == Kind::paged)
      check_page(body);
    if (kind != Kind::called && kind != Kind::paged)
      transcript_ = lasting_;
    transcript_.add(kind, body);
    if (Transcript::is_lasting(kind))
      lasting_ = transcript_;
    if (next_ < said_.size())
      say(said_[next_++]);
  }

  void open(const std::string &message) {
    auto answered = answer_opening(message, std::span(&server_key(), 1));
    if (!answered)
      std::abort();
    if (next_ < said_.size() && said_[next_].kind == Kind::opened) {
      is_impostor_ = true;
      return send(static_cast<char>(Kind::opened) + said_[next_++].body);
    }
    send(static_cast<char>(Kind::opened) + answered->answer);
    seal_ = answered->opened.seal;
  }

  void say(Said said) {
    relocate(said, device_memory(), device_function());
    page_ = said.kind == Kind::page ? from_bytes<Page>(said.body) : std::nullopt;
    if (said.kind == Kind::call || said.kind == Kind::page)
      transcript_.add(said.kind, said.body);
    else if (said.kind != Kind::failed)
      said.body = transcript_.sign(said.kind, std::move(said.body), server_key());
    send(static_cast<char>(said.kind) + said.body);
  }

  void send(std::string frame) {
    if (seal_)
      seal_->close(frame, 0);
    const auto length = static_cast<std::uint32_t>(frame.size());
    out_.append(reinterpret_cast<const char *>(&length), sizeof length);
    out_ += frame;
  }

  // Only declared invariant memory may leave the device.
  void check_page(const std::string &body) const {
    const std::uint64_t offset = page_ ? page_->address - device_memory() : ~0ULL;
    if (!body.empty() && (offset > kRecordedBytes || body.size() != page_->size ||
                          kRecordedBytes - offset < body.size()))
      std::abort();
  }

  Conversation said_;
  std::size_t next_ = 0;
  std::string in_;
  std::string out_;
  std::optional<Seal> seal_;
  bool is_impostor_ = false;
  Transcript lasting_;
  Transcript transcript_;
  std::optional<Page> page_;
};

Server *server = nullptr;

/// True if the device's request in the recording is the one about memory.
bool is_about_memory(const Conversation &all) {
  const auto asked = std::ranges::find(all, Kind::customize, &Said::kind);
  const auto wanted = asked == all.end() ? std::nullopt : from_bytes<Customization>(asked->body);
  return wanted && !wanted->regions.empty();
}

} // namespace

} // namespace sartor::remote

// Replaces the sockets of device/link.c.
extern "C" {

uint64_t sartor_now(void) {
  static std::uint64_t now = 1;
  return ++now;
}

int sartor_link_open(struct sartor_link *link, const char * /*address*/, const char ** /*why*/) {
  sartor::remote::server->begin();
  link->socket = 0;
  return 1;
}

int sartor_link_send(struct sartor_link *link, const void *bytes, size_t size) {
  sartor::remote::server->take({static_cast<const char *>(bytes), size});
  link->sent += size;
  return 1;
}

int sartor_link_receive(struct sartor_link *link, void *bytes, size_t size) {
  link->received += size;
  return sartor::remote::server->give({static_cast<char *>(bytes), size});
}

void sartor_link_close(struct sartor_link *link) { link->socket = -1; }

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace sartor;
  const auto conversation = remote::conversation_in({reinterpret_cast<const char *>(data), size});
  remote::Server heard(conversation);
  remote::server = &heard;
  const base::PublicKey key = remote::server_key().public_key();
  device_asks(key.data(), remote::is_about_memory(conversation) ? 1 : 0);
  remote::server = nullptr;
  return 0;
}
}
