// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/arena.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <new>

#include <linux/membarrier.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/reserve.h"
#include "runtime/codemem/near.h"

namespace sartor::runtime {

namespace {

// Address space is reserved in areas of this size; pages are used only when code needs them.
constexpr std::size_t kAreaBytes = 1U << 20;

// Pieces begin at cache lines, as functions do.
constexpr std::size_t kAlignment = 64;

// A breakpoint instruction: a thread that runs released code stops there.
constexpr int kTrap = 0xcc;

bool ask_for_membarrier() {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
}

// In a process that has threads, registration waits for all processors, for 15 ms. So it is done
// when the library is loaded, if the process has no threads then.
const bool asked_early = __libc_single_threaded && ask_for_membarrier();

// Instructions that were at the same address before may still be in another processor's pipeline,
// which notices writes through another view only when it next serializes (Intel SDM, volume 3A,
// 9.1.3). Without the system call, as in old kernels, the processor has serialized when the kernel
// last ran there.
void let_processors_see() {
  static const bool registered = asked_early || ask_for_membarrier();
  if (registered)
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

std::size_t in_lines(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
}

using Ranges = std::vector<FreeRanges::Range>;

// Adds a range, and removes what is empty.
void note_stale(Ranges &stale, FreeRanges::Range released, FreeRanges::Range emptied) noexcept {
  try {
    stale.push_back(released);
    if (emptied.begin == emptied.end)
      return;
    Ranges left;
    for (const auto &[begin, end] : stale) {
      if (begin < std::min(end, emptied.begin))
        left.push_back({begin, std::min(end, emptied.begin)});
      if (std::max(begin, emptied.end) < end)
        left.push_back({std::max(begin, emptied.end), end});
    }
    stale = std::move(left);
  } catch (const std::bad_alloc &) {
    stale.clear(); // traps only show mistakes
  }
}

} // namespace

// Callers may read the bytes in front of a function, as callers compiled with -fsanitize=function
// do: so no piece begins where an area begins.
Arena::Block::Block(Area memory) : area(std::move(memory)), free(kAlignment, area.bytes()) {}

Arena::Arena(const void *anchor) : anchor_(anchor) {}
Arena::~Arena() = default;

std::byte *Arena::Piece::code() const { return block_->area.code() + begin_; }
std::byte *Arena::Piece::writable() const {
  return block_->area.is_private() ? content_.get() : block_->area.writable() + begin_;
}

bool Arena::Piece::seal() {
  const Area &area = block_->area;
  if (area.is_private()) {
    if (!area.write(begin_, content_.get(), bytes_))
      return false;
    content_.reset();
  } else if (!area.is_mapped_twice()) {
    return area.seal();
  }
  let_processors_see();
  return true;
}

Arena::Block &Arena::add_block(std::size_t bytes, bool can_be_private) {
  const auto mapped = [&] {
    const std::size_t whole = std::max(kAreaBytes, in_pages(bytes));
    if (can_be_private)
      if (Area area = Area::map_private(anchor_, whole); area.code())
        return area;
    Area area = Area::map_twice(anchor_, whole);
    return area.code() ? std::move(area) : Area::map_once(anchor_, in_pages(bytes));
  };
  for (const bool first : {true, false}) {
    if (Area area = mapped(); area.code())
      return blocks_.emplace_front(std::move(area));
    if (first)
      base::use_reserve();
  }
  throw std::bad_alloc();
}

Arena::Piece::Piece(Arena &arena, Block &block, std::size_t begin, std::size_t bytes,
                    std::unique_ptr<std::byte[]> content)
    : arena_(arena), block_(&block), begin_(begin), bytes_(bytes), content_(std::move(content)) {
  if (!block.area.is_private())
    content_.reset();
  ++block.pieces;
}

Arena::Piece Arena::take(std::size_t bytes, std::size_t alignment) {
  const std::size_t whole = in_lines(bytes);
  const std::size_t aligned = std::max(alignment, kAlignment);
  const bool can_write_private = Area::can_write_private();
  auto content = can_write_private ? std::make_unique<std::byte[]>(whole) : nullptr;
  const std::lock_guard lock(mutex_);
  for (Block &block : blocks_)
    if (block.is_open() && (can_write_private || !block.area.is_private())) {
      fill_with_traps(block);
      if (const auto begin = block.free.take(whole, aligned))
        return {*this, block, *begin, whole, std::move(content)};
    }
  Block &block = add_block(whole + aligned, can_write_private);
  return {*this, block, block.free.take(whole, aligned).value(), whole, std::move(content)};
}

// Private areas are written by the next take(): it runs while code is specialized, when programs
// close no descriptors, and this may run at any time.
void Arena::release(const Piece &piece) noexcept {
  const std::lock_guard lock(mutex_);
  Block &block = *piece.block_;
  --block.pieces;
  // A child process may run it.
  const bool can_be_used_again = block.is_open() && piece.forks_ == base::forks();
  if (can_be_used_again) {
    if (!block.area.is_private())
      std::memset(piece.writable(), kTrap, piece.bytes_);
    const auto emptied = empty_pages(block, block.free.release(piece.begin_, piece.bytes_), piece);
    if (block.area.is_private())
      note_stale(block.stale, {piece.begin_, piece.begin_ + piece.bytes_}, emptied);
  }
  // The last empty area is kept for the next piece.
  if (block.pieces == 0 && !(block.free.all_free() && block.is_open() && blocks_.size() == 1))
    blocks_.remove_if([&](const Block &other) { return &other == &block; });
}

void Arena::fill_with_traps(Block &block) {
  static const auto traps = [] {
    std::array<std::byte, 16'384> traps{};
    traps.fill(std::byte{kTrap});
    return traps;
  }();
  for (const auto &[begin, end] : std::exchange(block.stale, {}))
    for (std::size_t at = begin; at < end; at += traps.size())
      if (!block.area.write(at, traps.data(), std::min(traps.size(), end - at)))
        return; // they only show mistakes
}

FreeRanges::Range Arena::empty_pages(const Block &block, const FreeRanges::Range &free,
                                     const Piece &piece) {
  const std::size_t page = page_size();
  const std::size_t first = (free.begin + page - 1) / page;
  const std::size_t begin = std::max(first, piece.begin_ / page) * page;
  const std::size_t end = std::min(free.end / page * page, in_pages(piece.begin_ + piece.bytes_));
  if (begin >= end)
    return {begin, begin};
  block.area.empty(begin, end - begin);
  return {begin, end};
}

} // namespace sartor::runtime
