// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/content_key.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include <sys/stat.h>

#include <llvm-c/Core.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "base/thread/mutex.h"
#include "compiler/frontend/bitcode.h"
#include "compiler/frontend/host.h"
#include "core/cache/build_id.h"
#include "core/request/context.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Numbers outside of a program's address range are special values, not addresses.
constexpr std::uint64_t kLowest = 0x1'0000;
constexpr std::uint64_t kHighest = 0x7fff'ffff'ffff;

class Places {
public:
  Places(Module &module, const std::vector<core::Extent> &objects)
      : module_(module), objects_(objects), layout_(module.getDataLayout()) {}

  std::vector<std::uint64_t> leave_out() {
    for (Function &function : module_)
      for (Instruction &instruction : make_early_inc_range(instructions(function)))
        for (Use &use : instruction.operands())
          leave_out(use);
    make_table();
    return std::move(addresses_);
  }

private:
  void leave_out(Use &use) {
    auto &user = *cast<Instruction>(use.getUser());
    const auto address = address_in(*use);
    if (!address || must_be_constant(user, use))
      return;
    auto *phi = dyn_cast<PHINode>(&user);
    Instruction *before = phi ? phi->getIncomingBlock(use)->getTerminator() : &user;
    if (isa<CatchSwitchInst>(before))
      return;
    // All edges from one block to a phi node must provide the same value.
    llvm::Value *&known = before_end_[{phi ? before : nullptr, *address}];
    if (!phi || !known)
      known = point_to(*address, *before);
    use.set(known);
  }

  std::optional<std::uint64_t> address_in(const llvm::Value &value) const {
    const auto *constant = dyn_cast<ConstantExpr>(&value);
    if (!constant || !constant->getType()->isPointerTy() ||
        constant->getType()->getPointerAddressSpace() != 0)
      return std::nullopt;
    APInt offset(layout_.getIndexTypeSizeInBits(constant->getType()), 0);
    const auto *base = dyn_cast<ConstantExpr>(
        constant->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true));
    if (!base || base->getOpcode() != Instruction::IntToPtr)
      return std::nullopt;
    const auto *number = dyn_cast<ConstantInt>(base->getOperand(0));
    if (!number)
      return std::nullopt;
    const std::uint64_t address = number->getZExtValue() + offset.getZExtValue();
    return address >= kLowest && address <= kHighest ? std::optional(address) : std::nullopt;
  }

  static bool must_be_constant(const Instruction &user, const Use &use) {
    if (isa<LandingPadInst>(user) || isa<SwitchInst>(user))
      return true;
    const auto *call = dyn_cast<CallBase>(&user);
    return call && (call->isInlineAsm() ||
                    (call->isArgOperand(&use) &&
                     call->paramHasAttr(call->getArgOperandNo(&use), Attribute::ImmArg)));
  }

  llvm::Value *point_to(std::uint64_t address, Instruction &before) {
    const auto after = std::ranges::upper_bound(
        objects_, address, {}, [](const core::Extent &each) { return each.address; });
    const bool is_in_object = after != objects_.begin() && address < std::prev(after)->end;
    const std::uint64_t base = is_in_object ? std::prev(after)->address : address;
    const auto [known, is_new] = numbers_.try_emplace(base, addresses_.size());
    if (is_new)
      addresses_.push_back(base);
    IRBuilder<> builder(&before);
    Type *pointer = builder.getPtrTy();
    // The number of places is not known yet, so the table is created at the end.
    LoadInst *place = builder.CreateLoad(pointer, ConstantPointerNull::get(builder.getPtrTy()));
    MDNode *const yes = MDNode::get(module_.getContext(), {});
    place->setMetadata(LLVMContext::MD_invariant_load, yes);
    place->setMetadata(LLVMContext::MD_nonnull, yes);
    place->setMetadata(LLVMContext::MD_noundef, yes);
    loads_.emplace_back(place, known->second);
    return address == base ? place : builder.CreatePtrAdd(place, builder.getInt64(address - base));
  }

  // The code does not use the symbols directly: LLVM would assume that two of them are different
  // objects, and that a pointer into one never leads to the other. The table is marked externally
  // initialized, so that LLVM does not fold loads from it.
  void make_table() {
    if (addresses_.empty())
      return;
    auto *pointer = PointerType::getUnqual(module_.getContext());
    std::vector<Constant *> symbols;
    for (std::size_t i = 0; i < addresses_.size(); ++i)
      symbols.push_back(new GlobalVariable(module_, Type::getInt8Ty(module_.getContext()),
                                           /*isConstant=*/false, GlobalValue::ExternalLinkage,
                                           nullptr, core::place_symbol(i)));
    auto *type = ArrayType::get(pointer, symbols.size());
    auto *table =
        new GlobalVariable(module_, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
                           ConstantArray::get(type, symbols), "sartor.places");
    table->setExternallyInitialized(true);
    auto *index = Type::getInt64Ty(module_.getContext());
    for (const auto &[load, number] : loads_)
      load->setOperand(0, ConstantExpr::getInBoundsGetElementPtr(pointer, table,
                                                                 ConstantInt::get(index, number)));
  }

  Module &module_;
  const std::vector<core::Extent> &objects_;
  const DataLayout &layout_;
  std::vector<std::uint64_t> addresses_;
  std::map<std::uint64_t, std::size_t> numbers_; ///< Index into `addresses_`.
  std::vector<std::pair<LoadInst *, std::size_t>> loads_;
  std::map<std::pair<Instruction *, std::uint64_t>, llvm::Value *> before_end_;
};

#if LLVM_VERSION_MAJOR >= 21
void number_atoms(Function &function) {
  // Groups of different inlined calls are different ones.
  DenseMap<std::pair<const DILocation *, std::uint64_t>, std::uint64_t> numbers;
  for (Instruction &instruction : instructions(function)) {
    const DILocation *at = instruction.getDebugLoc();
    if (!at || at->getAtomGroup() == 0)
      continue;
    const std::uint64_t number =
        numbers.try_emplace({at->getInlinedAt(), at->getAtomGroup()}, numbers.size() + 1)
            .first->second;
    instruction.setDebugLoc(DILocation::get(at->getContext(), at->getLine(), at->getColumn(),
                                            at->getScope(), at->getInlinedAt(),
                                            at->isImplicitCode(), number, at->getAtomRank()));
  }
}
#else
void number_atoms(Function &) {} // has no atoms yet
#endif

} // namespace

std::vector<std::uint64_t> leave_out_addresses(Module &module,
                                               const std::vector<core::Extent> &objects) {
  return Places(module, objects).leave_out();
}

void number_atoms(Module &module) {
  for (Function &function : module)
    number_atoms(function);
}

namespace {

// Raised when Sartor generates different code from the same IR, or when the format of files
// changes.
constexpr std::string_view kFormat = "3";

// Returns the build ids of the files that contain `codes`; empty if any is unknown. Versions do not
// distinguish two builds, nor do sizes and times of files: reproducible builds have equal ones, and
// the files of a long-running process may have been replaced by those of another build.
std::string builds_of(std::initializer_list<const void *> codes) {
  std::string builds;
  for (const void *code : codes) {
    const auto build = core::build_id_at(code);
    if (!build)
      return {};
    builds += (builds.empty() ? "" : " ") + *build;
  }
  return builds;
}

std::string hash_of_file(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return base::to_text(base::hash_of({std::string(std::istreambuf_iterator<char>(file), {})}));
}

// A loaded plugin is identified by its build id, any other by its content, which is read again when
// the file changes.
std::string identity_of_plugin(const std::filesystem::path &path) {
  if (auto loaded = core::build_id_of(path.native()))
    return *loaded;
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    return "?";
  using File = std::tuple<std::string, ino_t, off_t, time_t, long>;
  static auto &mutex = *new base::Mutex;                // can be locked while the process exits
  static auto *known = new std::map<File, std::string>; // can be used while the process exits
  const std::lock_guard lock(mutex);
  std::string &hash = (*known)[{path.native(), status.st_ino, status.st_size, status.st_ctim.tv_sec,
                                status.st_ctim.tv_nsec}];
  if (hash.empty())
    hash = hash_of_file(path);
  return hash;
}

std::string version_of_llvm() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

} // namespace

core::Toolchain this_toolchain() {
  // The mathematics library counts because it computes calls with known arguments.
  static const auto &builds = *new std::string( // used by compiles at exit
      builds_of({reinterpret_cast<const void *>(&this_toolchain),
                 reinterpret_cast<const void *>(&base::hash_of), // libsartor
                 reinterpret_cast<const void *>(&LLVMGetVersion),
                 reinterpret_cast<const void *>(static_cast<double (*)(double)>(&sin))}));
  const Host &host = compiler::host();
  return {SARTOR_VERSION, version_of_llvm(), builds, host.triple.str(), host.cpu, host.features};
}

base::ContentKey content_key(const Module &module, core::Tier tier, const Pipeline &pipeline,
                             const core::Toolchain &toolchain) {
  std::string plugins;
  for (const auto &plugin : pipeline.plugins)
    plugins += plugin.string() + " " + identity_of_plugin(plugin) + "\n";
  return base::hash_of({kFormat, toolchain.sartor, toolchain.llvm, toolchain.build,
                        toolchain.triple, toolchain.cpu, toolchain.features,
                        tier == core::Tier::quick ? "quick" : "full", pipeline.passes, plugins,
                        bitcode_of(module)});
}

} // namespace sartor::compiler
