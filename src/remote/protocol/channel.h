// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_PROTOCOL_CHANNEL_H
#define SARTOR_REMOTE_PROTOCOL_CHANNEL_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_handle.h"
#include "base/result.h"
#include "remote/protocol/message.h"
#include "remote/protocol/seal.h"

namespace sartor::remote {

/// Bytes to and from somebody else. One thread at a time.
class Stream {
public:
  virtual ~Stream() = default;
  /// At least one byte into `bytes`, at most `most`; zero where the other side has gone, nothing if
  /// none came in that time. Fails with compiler_lost.
  virtual Result<std::optional<std::size_t>> read(char *bytes, std::size_t most,
                                                  std::chrono::milliseconds patience) = 0;
  /// As many as go without waiting longer than that. Fails with compiler_lost.
  virtual Result<std::size_t> write(std::string_view bytes, std::chrono::milliseconds patience) = 0;
  /// Whether the other side has gone. Does not wait.
  virtual bool has_ended() = 0;
  /// Tells the other side that this one has gone; what it still has to say can be read.
  virtual void end() = 0;
  /// False where the program has closed the descriptor; all else fails then, and touches nothing.
  [[nodiscard]] virtual bool is_still_ours() const { return true; }
};

/// A socket, which it closes.
class SocketStream final : public Stream {
public:
  explicit SocketStream(int socket) : socket_(socket) {}

  Result<std::optional<std::size_t>> read(char *bytes, std::size_t most,
                                          std::chrono::milliseconds patience) override;
  Result<std::size_t> write(std::string_view bytes, std::chrono::milliseconds patience) override;
  bool has_ended() override;
  void end() override;
  [[nodiscard]] bool is_still_ours() const override { return socket_.is_still_ours(); }

private:
  base::FileHandle socket_;
};

/// Largest frame that a program takes from a compiler.
constexpr std::size_t kMostAnswer = std::size_t{1} << 30;

struct Frame {
  Kind kind = Kind::failed;
  std::string body;
};

/// Frames over a stream: four bytes, the little-endian length of the rest; a Kind; the body. In a
/// sealed channel, the kind and the body are encrypted. One thread at a time.
class Channel {
public:
  /// Whether to go on waiting; asked every few milliseconds.
  using GoOn = std::function<bool()>;

  /// `most`: bytes that a frame may have, which the other side sends.
  Channel(std::unique_ptr<Stream> stream, std::size_t most)
      : stream_(std::move(stream)), most_(most) {}

  /// Fails with compiler_lost; compile_timeout where `go_on` says no.
  Result<void> send(Kind kind, std::string_view body, const GoOn &go_on);
  /// Likewise, and with server_refused for what is no frame, or a larger one. Nothing where the
  /// other side has gone between two frames.
  Result<std::optional<Frame>> receive(const GoOn &go_on);

  /// All frames from now on are sealed, in both directions.
  void seal(const Seal &seal) { seal_ = seal; }

  bool has_ended() { return stream_->has_ended(); }
  [[nodiscard]] bool is_still_ours() const { return stream_->is_still_ours(); }
  void end() { stream_->end(); }

private:
  Result<bool> fill(std::size_t bytes, const GoOn &go_on);

  std::unique_ptr<Stream> stream_;
  std::size_t most_;
  std::optional<Seal> seal_;
  std::string received_; ///< Of a frame that is not complete, or of the next.
};

/// The other side has gone.
Failure lost(std::string why);

/// Why nothing is said on a socket whose descriptor the program has closed.
constexpr const char *kClosedByProgram = "the program has closed the connection's descriptor";

} // namespace sartor::remote

#endif
