// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/kernel/kernel_find.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <vector>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/frontend/kernel/map_writes.h"
#include "compiler/specialize/kernel/perfect_hash.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Up to this number, keys are compared one after the other.
constexpr std::size_t kLongestChain = 12;
// Limits on the bytes of values and on the number of keys that a variant contains.
constexpr std::size_t kMostBytes = std::size_t{256} << 10;
constexpr std::size_t kMostKeys = 8192;
constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
constexpr std::size_t kPrefixLengthBytes = 4; // in front of the data of a key

/// A part of a key that is read with one load.
struct Part {
  std::uint32_t offset;
  std::uint32_t bytes;
};

std::vector<Part> parts_of(std::uint32_t bytes, std::uint64_t alignment) {
  std::vector<Part> parts;
  for (std::uint32_t at = 0; at < bytes;) {
    std::uint32_t size = 8;
    while (size > bytes - at || size > alignment || at % size != 0)
      size /= 2;
    parts.push_back({at, size});
    at += size;
  }
  return parts;
}

std::uint64_t word_at(const std::string &key, const Part &part) {
  std::uint64_t word = 0;
  std::memcpy(&word, key.data() + part.offset, part.bytes);
  return word;
}

std::uint64_t mixed(const std::string &key, const std::vector<Part> &parts) {
  std::uint64_t sum = word_at(key, parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i)
    sum = (sum ^ sum >> 32) * kMix ^ word_at(key, parts[i]);
  return sum;
}

/// Generates one function that maps a pointer to a key to a pointer to its value, or null.
class FindWriter {
public:
  FindWriter(Function &function, CallBase &lookup, GlobalVariable &map,
             const core::KernelMap &content, std::uint64_t alignment)
      : function_(function), module_(*function.getParent()), lookup_(lookup), map_(map),
        content_(content), alignment_(alignment), key_(function.getArg(0)),
        builder_(BasicBlock::Create(function.getContext(), "", &function)),
        stride_((std::size_t{content.value_bytes} + 7) / 8 * 8) {}

  void write() {
    if (content_.entries.empty()) {
      end(nothing());
      return;
    }
    switch (content_.kind) {
    case core::KernelMapKind::array:
      write_array();
      break;
    case core::KernelMapKind::hash:
      if (content_.entries.size() <= kLongestChain)
        write_chain();
      else
        write_hash();
      break;
    case core::KernelMapKind::prefixes:
      if (content_.entries.size() <= kLongestChain)
        write_prefix_chain();
      else
        write_intervals();
      break;
    }
  }

private:
  Constant *nothing() { return ConstantPointerNull::get(builder_.getPtrTy()); }
  void end(llvm::Value *result) { builder_.CreateRet(result); }
  BasicBlock *block() { return BasicBlock::Create(function_.getContext(), "", &function_); }

  void begin_if(llvm::Value *condition, bool usually = true) {
    BasicBlock *yes = block();
    otherwise_ = block();
    MDBuilder weights(function_.getContext());
    builder_.CreateCondBr(condition, yes, otherwise_,
                          usually ? weights.createLikelyBranchWeights() : nullptr);
    builder_.SetInsertPoint(yes);
  }
  void begin_else() { builder_.SetInsertPoint(otherwise_); }

  llvm::Value *load(const Part &part) {
    Type *type = builder_.getIntNTy(part.bytes * 8);
    llvm::Value *at = builder_.CreateConstGEP1_32(builder_.getInt8Ty(), key_, part.offset);
    return builder_.CreateAlignedLoad(type, at,
                                      Align(std::min<std::uint64_t>(part.bytes, alignment_)));
  }

  GlobalVariable *constant(Constant *contents, const char *what) {
    auto *made = new GlobalVariable(module_, contents->getType(), /*isConstant=*/true,
                                    GlobalValue::PrivateLinkage, contents,
                                    "sartor." + std::string(what) + "." + map_.getName());
    made->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    made->setAlignment(Align(8));
    return made;
  }

  template <class T> GlobalVariable *table(const std::vector<T> &elements, const char *what) {
    return constant(ConstantDataArray::get(function_.getContext(), ArrayRef<T>(elements)), what);
  }

  std::string padded(const std::string &value) const {
    std::string bytes = value;
    bytes.resize(stride_);
    return bytes;
  }

  /// Returns a separate constant for a value, so that the result of the lookup is a constant.
  Constant *single(const std::string &value) {
    return constant(ConstantDataArray::getString(function_.getContext(), padded(value), false),
                    "value");
  }

  /// Returns the value with the given number; null beyond the last.
  void end_with(llvm::Value *number) {
    std::string bytes;
    for (const core::KernelMap::Entry &entry : content_.entries)
      bytes += padded(entry.value);
    auto *values =
        constant(ConstantDataArray::getString(function_.getContext(), bytes, false), "values");
    begin_if(builder_.CreateIntrinsic(Intrinsic::is_constant, {number->getType()}, {number}),
             /*usually=*/false);
    BasicBlock *variable = otherwise_;
    end_within(values, number, [](llvm::Value *known) { return known; });
    // If the number is not a constant, all of its bits must be compared, and the address computed
    // after the comparison, in the order in which the verifier reads the code: LLVM would compare
    // half of the bits and compute the address earlier.
    builder_.SetInsertPoint(variable);
    end_within(values, hidden(number), [this](llvm::Value *compared) { return hidden(compared); });
  }

  template <class Use> void end_within(GlobalVariable *values, llvm::Value *number, Use use) {
    begin_if(builder_.CreateICmpULT(number, builder_.getInt64(content_.entries.size())));
    end(value_at(values, use(number)));
    begin_else();
    end(nothing());
  }

  llvm::Value *value_at(GlobalVariable *values, llvm::Value *number) {
    return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), values,
                                      builder_.CreateMul(number, builder_.getInt64(stride_)));
  }

  /// Looks the key up in the map, as the original code.
  void look_up() {
    end(builder_.CreateCall(lookup_.getFunctionType(), lookup_.getCalledOperand(), {&map_, key_}));
  }

  void write_array() { end_with(builder_.CreateZExt(load({0, 4}), builder_.getInt64Ty())); }

  llvm::Value *equals(const std::string &key, const std::vector<Part> &parts) {
    llvm::Value *same = nullptr;
    for (const Part &part : parts) {
      llvm::Value *here = load(part);
      llvm::Value *equal =
          builder_.CreateICmpEQ(here, ConstantInt::get(here->getType(), word_at(key, part)));
      same = same ? builder_.CreateAnd(same, equal) : equal;
    }
    return same;
  }

  void write_chain() {
    const auto parts = parts_of(content_.key_bytes, alignment_);
    for (const core::KernelMap::Entry &entry : content_.entries) {
      begin_if(equals(entry.key, parts), /*usually=*/false);
      end(single(entry.value));
      begin_else();
    }
    end(nothing());
  }

  void write_hash() {
    const auto parts = parts_of(content_.key_bytes, alignment_);
    std::vector<std::uint64_t> keys;
    for (const core::KernelMap::Entry &entry : content_.entries)
      keys.push_back(mixed(entry.key, parts));
    const PerfectHash hash = find_perfect_hash(keys);
    std::vector<std::uint16_t> numbers(hash.slots);
    for (std::size_t i = 0; i < keys.size(); ++i)
      numbers[hash.slot(keys[i])] = static_cast<std::uint16_t>(i);

    llvm::Value *key = widened(load(parts.front()));
    for (std::size_t i = 1; i < parts.size(); ++i)
      key = builder_.CreateXor(
          builder_.CreateMul(builder_.CreateXor(key, builder_.CreateLShr(key, 32)),
                             builder_.getInt64(kMix)),
          widened(load(parts[i])));
    llvm::Value *slot =
        hash_slot(builder_, hash, *table(hash.displacements, "displacements"), *key);
    llvm::Value *number =
        builder_.CreateAnd(element(table(numbers, "numbers"), builder_.getInt16Ty(), slot),
                           builder_.getInt64(std::bit_ceil(keys.size()) - 1));
    llvm::Value *same = nullptr;
    for (const Part &part : parts) {
      llvm::Value *equal = builder_.CreateICmpEQ(column(part, number), widened(load(part)));
      same = same ? builder_.CreateAnd(same, equal) : equal;
    }
    begin_if(same);
    BasicBlock *missed = otherwise_;
    end_with(number);
    builder_.SetInsertPoint(missed);
    end(nothing());
  }

  llvm::Value *widened(llvm::Value *value) {
    return builder_.CreateZExt(value, builder_.getInt64Ty());
  }

  llvm::Value *element(GlobalVariable *from, Type *type, llvm::Value *index) {
    return widened(builder_.CreateLoad(type, builder_.CreateInBoundsGEP(type, from, index)));
  }

  /// Returns this part of the key with the given number; the table's length is the power of two
  /// that the number's bits allow.
  llvm::Value *column(const Part &part, llvm::Value *number) {
    std::vector<std::uint64_t> words;
    for (const core::KernelMap::Entry &entry : content_.entries)
      words.push_back(word_at(entry.key, part));
    words.resize(std::bit_ceil(words.size()), words.front());
    return element(table(words, "keys"), builder_.getInt64Ty(), number);
  }

  static std::uint32_t prefix_length(const core::KernelMap::Entry &entry) {
    std::uint32_t length = 0;
    std::memcpy(&length, entry.key.data(), sizeof length);
    return length;
  }

  std::vector<const core::KernelMap::Entry *> longest_first() const {
    std::vector<const core::KernelMap::Entry *> sorted;
    for (const core::KernelMap::Entry &entry : content_.entries)
      sorted.push_back(&entry);
    std::ranges::sort(sorted, std::greater(),
                      [](const core::KernelMap::Entry *entry) { return prefix_length(*entry); });
    return sorted;
  }

  // Prefixes longer than the key's do not match.
  llvm::Value *has_length(std::uint32_t length) {
    return builder_.CreateICmpUGE(load({0, 4}), builder_.getInt32(length));
  }

  void write_prefix_chain() {
    const std::uint32_t data = content_.key_bytes - kPrefixLengthBytes;
    begin_if(builder_.CreateICmpULE(load({0, 4}), builder_.getInt32(data * 8)));
    BasicBlock *longer = otherwise_; // kernels differ in how they handle these
    for (const core::KernelMap::Entry *entry : longest_first()) {
      const std::uint32_t length = prefix_length(*entry);
      std::string mask(content_.key_bytes, '\0');
      for (std::uint32_t bit = 0; bit < length && bit < data * 8; ++bit)
        mask[kPrefixLengthBytes + bit / 8] |= static_cast<char>(0x80 >> bit % 8);
      llvm::Value *same = has_length(length);
      for (const Part &part : parts_of(content_.key_bytes, alignment_ < 8 ? alignment_ : 4)) {
        const std::uint64_t bits = word_at(mask, part);
        if (part.offset < kPrefixLengthBytes || bits == 0)
          continue;
        llvm::Value *here = load(part);
        same = builder_.CreateAnd(
            same, builder_.CreateICmpEQ(
                      builder_.CreateAnd(here, ConstantInt::get(here->getType(), bits)),
                      ConstantInt::get(here->getType(), word_at(entry->key, part) & bits)));
      }
      begin_if(same, /*usually=*/false);
      end(single(entry->value));
      begin_else();
    }
    end(nothing());
    builder_.SetInsertPoint(longer);
    look_up();
  }

  // Prefixes of 32 bits divide all numbers into intervals, and the longest entry that covers an
  // interval is known.
  void write_intervals() {
    std::set<std::uint64_t> bounds{0};
    struct Covered {
      std::uint64_t from;
      std::uint64_t to;
      std::uint16_t number;
      std::uint32_t length;
    };
    std::vector<Covered> covered;
    for (std::size_t i = 0; i < content_.entries.size(); ++i) {
      const std::uint32_t length = std::min(prefix_length(content_.entries[i]), 32U);
      std::uint32_t bits = 0;
      std::memcpy(&bits, content_.entries[i].key.data() + kPrefixLengthBytes, sizeof bits);
      const std::uint64_t size = std::uint64_t{1} << (32 - length);
      const std::uint64_t from = std::byteswap(bits) & ~(size - 1);
      covered.push_back({from, from + size, static_cast<std::uint16_t>(i), length});
      bounds.insert(from);
      if (from + size <= 0xffff'ffff)
        bounds.insert(from + size);
    }
    std::ranges::sort(covered, std::less(), &Covered::length);
    const std::vector<std::uint64_t> sorted(bounds.begin(), bounds.end());
    const std::size_t size = std::bit_ceil(sorted.size());
    std::vector<std::uint32_t> starts(sorted.begin(), sorted.end());
    std::vector<std::uint16_t> numbers(sorted.size(), 0xffff);
    for (const Covered &each : covered) // in the order of increasing length
      for (auto at = std::ranges::lower_bound(sorted, each.from);
           at != sorted.end() && *at < each.to; ++at)
        numbers[static_cast<std::size_t>(at - sorted.begin())] = each.number;
    starts.resize(size, 0xffff'ffff);
    numbers.resize(size, numbers.back());

    begin_if(builder_.CreateICmpEQ(load({0, 4}), builder_.getInt32(32)));
    BasicBlock *others = otherwise_;
    end_with(search(starts, numbers));
    builder_.SetInsertPoint(others);
    look_up();
  }

  // Generates the search without branches: the verifier would explore each path.
  llvm::Value *search(const std::vector<std::uint32_t> &starts,
                      const std::vector<std::uint16_t> &numbers) {
    GlobalVariable *from = table(starts, "starts");
    llvm::Value *wanted = widened(builder_.CreateUnaryIntrinsic(
        Intrinsic::bswap, load({kPrefixLengthBytes, sizeof(std::uint32_t)})));
    llvm::Value *index = builder_.getInt64(0);
    for (std::uint64_t bit = starts.size() / 2; bit > 0; bit /= 2) {
      llvm::Value *probe = builder_.CreateOr(index, builder_.getInt64(bit));
      llvm::Value *start = element(from, builder_.getInt32Ty(), probe);
      // One if the start is not beyond the wanted number: a negative difference has the highest bit
      // set.
      llvm::Value *below =
          builder_.CreateSub(builder_.CreateSub(start, wanted), builder_.getInt64(1));
      llvm::Value *taken = hidden(builder_.CreateLShr(hidden(below), 63));
      index = builder_.CreateOr(
          index, builder_.CreateShl(builder_.CreateAnd(taken, builder_.getInt64(1)),
                                    static_cast<std::uint64_t>(std::countr_zero(bit))));
    }
    return hidden(element(table(numbers, "numbers"), builder_.getInt16Ty(), index));
  }

  // Hides a value from LLVM, which would turn it into branches, or omit the comparison because of
  // the table's contents, which the verifier does not know.
  llvm::Value *hidden(llvm::Value *value) {
    auto *type = value->getType();
    return builder_.CreateCall(
        InlineAsm::get(FunctionType::get(type, {type}, false), "", "=r,0", false), {value});
  }

  Function &function_;
  Module &module_;
  CallBase &lookup_;
  GlobalVariable &map_;
  const core::KernelMap &content_;
  std::uint64_t alignment_;
  llvm::Value *key_;
  IRBuilder<> builder_;
  std::size_t stride_;
  BasicBlock *otherwise_ = nullptr;
};

bool can_be_distinguished(const core::KernelMap &content, Align alignment) {
  const auto parts = parts_of(content.key_bytes, alignment.value());
  std::set<std::uint64_t> keys;
  return std::ranges::all_of(content.entries, [&](const core::KernelMap::Entry &entry) {
    return keys.insert(mixed(entry.key, parts)).second;
  });
}

std::string problem_of(const core::KernelMap &content, Align alignment) {
  if (content.entries.size() > kMostKeys ||
      content.entries.size() * content.value_bytes > kMostBytes)
    return "the map holds more than " + std::to_string(kMostKeys) + " keys, or " +
           std::to_string(kMostBytes >> 10) + " KiB";
  if (content.kind == core::KernelMapKind::prefixes && content.entries.size() > kLongestChain &&
      content.key_bytes != kPrefixLengthBytes + sizeof(std::uint32_t))
    return "more than " + std::to_string(kLongestChain) +
           " prefixes are searched where they have 32 bits";
  if (content.kind == core::KernelMapKind::hash && !can_be_distinguished(content, alignment))
    return "there is no perfect hash of its keys";
  return "";
}

// Replaced values are constants, which no code may write to.
bool is_only_read(CallBase &lookup) {
  bool is_read = true;
  compiler::look_at_uses(
      lookup, [&](Instruction &, ValueUse does) { is_read = is_read && does == ValueUse::read; });
  return is_read;
}

} // namespace

std::string KernelFind::replace(CallBase &lookup, GlobalVariable &map,
                                const core::KernelMap &content) {
  llvm::Value *key = lookup.getArgOperand(1);
  const Align alignment = getKnownAlignment(key, module_.getDataLayout(), &lookup);
  if (std::string problem = problem_of(content, alignment); !problem.empty())
    return problem;
  if (!is_only_read(lookup))
    return "what it finds is written to, or handed on";
  Function *find = function_for(lookup, map, content, alignment);
  IRBuilder<> builder(&lookup);
  lookup.replaceAllUsesWith(builder.CreateCall(find, {key}));
  lookup.eraseFromParent();
  return "";
}

Function *KernelFind::function_for(CallBase &lookup, GlobalVariable &map,
                                   const core::KernelMap &content, Align alignment) {
  const std::string name = map.getName().str();
  Function *&made = functions_[{name, alignment.value()}];
  if (made)
    return made;
  auto *pointer = PointerType::getUnqual(module_.getContext());
  made = Function::Create(FunctionType::get(pointer, {pointer}, false),
                          GlobalValue::InternalLinkage, "sartor.find." + name, module_);
  made->addFnAttr(Attribute::AlwaysInline);
  made->addFnAttr(Attribute::NoUnwind);
  FindWriter(*made, lookup, map, content, alignment.value()).write();
  return made;
}

} // namespace sartor::compiler
