// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/function_code.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "loader/lib/decode/instructions.h"
#include "loader/lib/decode/table_jump.h"

namespace sartor::loader {

namespace {

constexpr const char *no_instructions = "with bytes that are no instructions";
constexpr const char *runs_on = "that run on into the next one";
constexpr const char *shared_bytes = "with branches into an instruction";
constexpr const char *own_position = "that compute with their own position";
constexpr const char *short_branches = "with short branches out of them";
constexpr const char *unknown_branches = "with branches of an unknown kind";
constexpr const char *unknown_tables = "with tables that are used otherwise";

/// A prefix that code may jump over (`lock`, `rep`, `repne`).
bool is_optional_prefix(std::byte byte) {
  return byte == std::byte{0xf0} || byte == std::byte{0xf2} || byte == std::byte{0xf3};
}

/// Follows one function.
class Follower {
public:
  /// `doubtful`: offsets of jumps whose tables are left to the original.
  Follower(std::span<const std::byte> code, const TableReader &read,
           std::set<std::uint32_t> &doubtful)
      : code_(code), read_(read), doubtful_(doubtful), begins_(code.size()) {
    function_.is_reached.resize(code.size());
  }

  void add(std::uint64_t entry) {
    entries_.push_back(entry);
    pending_.push_back(entry);
  }
  std::expected<FunctionCode, const char *> follow(std::span<const std::uint64_t> landing_pads);

private:
  /// A jump through a table whose entries are known.
  struct KnownJump {
    TableJump jump;
    std::vector<std::int32_t> table;
    std::vector<std::uint64_t> targets; ///< Those in the function.
  };

  const char *follow_from(std::uint64_t at);
  void look_for_table(std::span<const std::uint64_t> run);
  const char *take_tables(std::span<const std::uint64_t> landing_pads);
  const char *look_at(const ZydisDecodedInstruction &instruction, std::uint64_t at);
  const char *look_at_branch(const ZydisDecodedInstruction &instruction, std::uint64_t at);
  [[nodiscard]] const char *mark(std::uint64_t at, std::uint64_t length);
  [[nodiscard]] bool holds(std::int64_t offset) const {
    return offset >= 0 && static_cast<std::uint64_t>(offset) < code_.size();
  }

  const std::span<const std::byte> code_;
  const TableReader &read_;
  std::set<std::uint32_t> &doubtful_;
  const InstructionDecoder decoder_;
  std::vector<std::uint64_t> entries_; ///< All offsets that something leads to.
  std::vector<KnownJump> jumps_;
  std::size_t indirect_branches_ = 0; ///< Includes those in `jumps_`.
  std::vector<bool> begins_;          ///< Marks the first byte of each reached instruction.
  std::vector<std::uint64_t> pending_;
  FunctionCode function_;
};

std::expected<FunctionCode, const char *>
Follower::follow(std::span<const std::uint64_t> landing_pads) {
  while (!pending_.empty()) {
    const std::uint64_t at = pending_.back();
    pending_.pop_back();
    if (const char *why = follow_from(at))
      return std::unexpected(why);
  }
  // Code that is entered behind a prefix has each displacement twice.
  std::ranges::sort(function_.displacements, {}, &Displacement::place);
  const auto again = std::ranges::unique(function_.displacements);
  function_.displacements.erase(again.begin(), again.end());
  const auto overlap = [](const Displacement &one, const Displacement &next) {
    return next.place - one.place < sizeof(std::int32_t);
  };
  if (std::ranges::adjacent_find(function_.displacements, overlap) != function_.displacements.end())
    return std::unexpected(shared_bytes);
  if (const char *why = take_tables(landing_pads))
    return std::unexpected(why);
  function_.has_indirect_branch = indirect_branches_ > jumps_.size();
  return std::move(function_);
}

const char *Follower::follow_from(std::uint64_t at) {
  std::vector<std::uint64_t> run;
  for (;;) {
    if (at == code_.size())
      return runs_on;
    if (begins_[at])
      return nullptr;
    ZydisDecodedInstruction instruction;
    if (!decoder_.decode(code_.subspan(at), instruction) ||
        (instruction.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) != 0)
      return no_instructions;
    if (const char *why = mark(at, instruction.length))
      return why;
    if (const char *why = look_at(instruction, at))
      return why;
    run.push_back(at);
    if (instruction.mnemonic == ZYDIS_MNEMONIC_JMP && !instruction.raw.imm[0].is_relative)
      look_for_table(run);
    if (ends(instruction))
      return nullptr;
    at += instruction.length;
    if (at == code_.size() && instruction.meta.category == ZYDIS_CATEGORY_CALL) {
      function_.ends_with_call = true;
      return nullptr;
    }
  }
}

/// Follows a jump through a table, if it is one.
void Follower::look_for_table(std::span<const std::uint64_t> run) {
  if (!read_)
    return;
  const auto jump = table_jump_at_end_of(code_, run);
  if (!jump || doubtful_.contains(jump->end))
    return;
  auto table = read_(jump->table, jump->count);
  if (!table)
    return;
  KnownJump known{*jump, std::move(*table), {}};
  for (const std::int32_t distance : known.table)
    if (const std::int64_t target = jump->table + distance; holds(target)) {
      known.targets.push_back(static_cast<std::uint64_t>(target));
      add(static_cast<std::uint64_t>(target));
    }
  jumps_.push_back(std::move(known));
}

/// Makes the tables part of the result, if copies of them do the same. Otherwise, adds them to the
/// doubtful ones.
const char *Follower::take_tables(std::span<const std::uint64_t> landing_pads) {
  for (KnownJump &known : jumps_) {
    const TableJump &jump = known.jump;
    const auto is_inside = [&](std::uint64_t entry) {
      return entry > jump.begin && entry < jump.end;
    };
    const Displacement displacement{
        .place = jump.place, .from = jump.from, .kind = Displacement::Kind::operand};
    const auto found = std::ranges::find(function_.displacements, displacement);
    if (std::ranges::any_of(entries_, is_inside) || found == function_.displacements.end() ||
        !is_unread(code_, jump.base, known.targets, landing_pads) ||
        !is_unread(code_, jump.sum, known.targets, landing_pads)) {
      doubtful_.insert(jump.end);
      continue;
    }
    function_.displacements.erase(found);
    function_.tables.push_back({displacement, jump.table, std::move(known.table)});
  }
  return function_.tables.size() == jumps_.size() ? nullptr : unknown_tables;
}

/// Marks an instruction. Its bytes must not be part of another one, unless that has one more
/// prefix.
const char *Follower::mark(std::uint64_t at, std::uint64_t length) {
  const bool is_behind_prefix = at > 0 && begins_[at - 1] && is_optional_prefix(code_[at - 1]);
  const bool is_known = function_.is_reached[at];
  if (is_known && !is_behind_prefix)
    return shared_bytes;
  begins_[at] = true;
  const bool is_of_longer = length > 1 && is_optional_prefix(code_[at]) && begins_[at + 1];
  for (std::uint64_t i = at; i < at + length; ++i) {
    if (!is_known && function_.is_reached[i] && !is_of_longer)
      return shared_bytes;
    function_.is_reached[i] = true;
  }
  return nullptr;
}

const char *Follower::look_at(const ZydisDecodedInstruction &instruction, std::uint64_t at) {
  const auto &raw = instruction.raw;
  if (instruction.mnemonic == ZYDIS_MNEMONIC_XABORT)
    return unknown_branches;
  if (raw.imm[0].is_relative || raw.imm[1].is_relative)
    return look_at_branch(instruction, at);
  const bool is_branch = instruction.meta.category == ZYDIS_CATEGORY_CALL ||
                         instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
  indirect_branches_ += is_branch ? 1 : 0;
  if (!is_relative(instruction))
    return nullptr;
  if (instruction.address_width != 64)
    return own_position;
  function_.displacements.push_back({.place = static_cast<std::uint32_t>(at + raw.disp.offset),
                                     .from = static_cast<std::uint32_t>(at + instruction.length),
                                     .kind = Displacement::Kind::operand});
  return nullptr;
}

const char *Follower::look_at_branch(const ZydisDecodedInstruction &instruction, std::uint64_t at) {
  const auto &immediate = instruction.raw.imm[0];
  if (!immediate.is_relative)
    return unknown_branches;
  const bool is_call = instruction.meta.category == ZYDIS_CATEGORY_CALL;
  const auto target = static_cast<std::int64_t>(at + instruction.length) + immediate.value.s;
  if (is_call && target != 0 && holds(target))
    return own_position; // its target finds an address in the copy on the stack
  if (immediate.size == 8 && !holds(target))
    return short_branches;
  if (immediate.size != 8 && immediate.size != 32)
    return unknown_branches;
  if (holds(target) && !is_call) {
    add(static_cast<std::uint64_t>(target));
    return nullptr;
  }
  function_.displacements.push_back(
      {.place = static_cast<std::uint32_t>(at + immediate.offset),
       .from = static_cast<std::uint32_t>(at + instruction.length),
       .kind = is_call ? Displacement::Kind::call : Displacement::Kind::jump});
  return nullptr;
}

} // namespace

std::vector<Displacement> branches_out_of(std::span<const std::byte> code) {
  const InstructionDecoder decoder;
  std::vector<bool> begins(code.size());
  std::vector<std::uint64_t> targets;
  std::vector<Displacement> branches;
  for (std::size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction instruction;
    if (!decoder.decode(code.subspan(at), instruction))
      return {};
    begins[at] = true;
    const auto &immediate = instruction.raw.imm[0];
    const std::size_t end = at + instruction.length;
    if (immediate.is_relative) {
      const auto target = static_cast<std::int64_t>(end) + immediate.value.s;
      const bool is_call = instruction.meta.category == ZYDIS_CATEGORY_CALL;
      if (target > 0 && static_cast<std::uint64_t>(target) < code.size())
        targets.push_back(static_cast<std::uint64_t>(target));
      else if (immediate.size == 32 && (target != 0 || is_call))
        branches.push_back({.place = static_cast<std::uint32_t>(at + immediate.offset),
                            .from = static_cast<std::uint32_t>(end),
                            .kind = is_call ? Displacement::Kind::call : Displacement::Kind::jump});
    }
    at = end;
  }
  const auto is_instruction = [&](std::uint64_t target) {
    return begins[target] || (begins[target - 1] && is_optional_prefix(code[target - 1]));
  };
  return std::ranges::all_of(targets, is_instruction) ? branches : std::vector<Displacement>();
}

std::expected<FunctionCode, const char *> follow_function(std::span<const std::byte> code,
                                                          std::span<const std::uint64_t> entries,
                                                          const TableReader &read) {
  for (const std::uint64_t entry : entries)
    if (entry >= code.size())
      return std::unexpected("with landing pads outside of them");
  std::set<std::uint32_t> doubtful;
  for (;;) {
    const std::size_t before = doubtful.size();
    Follower follower(code, read, doubtful);
    follower.add(0);
    for (const std::uint64_t entry : entries)
      follower.add(entry);
    auto result = follower.follow(entries);
    if (result || !read)
      return result;
    // The code that only tables lead to can be left to the original.
    if (doubtful.size() == before)
      return follow_function(code, entries);
  }
}

std::int64_t target_of(std::span<const std::byte> code, const Displacement &displacement) {
  std::int32_t distance;
  std::memcpy(&distance, &code[displacement.place], sizeof distance);
  return std::int64_t{displacement.from} + distance;
}

} // namespace sartor::loader
