// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/make_image.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/JITLink/aarch32.h>
#include <llvm/ExecutionEngine/JITLink/aarch64.h>
#include <llvm/ExecutionEngine/JITLink/riscv.h>
#include <llvm/ExecutionEngine/JITLink/x86_64.h>
#include <llvm/Support/Endian.h>

#include "compiler/codegen/debug_sections.h"
#include "core/image/pack.h"

namespace sartor::compiler {

using namespace llvm;
using namespace llvm::jitlink;

namespace {

// Addresses assumed for the parts during linking: within reach of each other, and of all symbols.
constexpr std::uint64_t kCodeBase = 0x10'0000'0000;
constexpr std::uint64_t kDataBase = kCodeBase + 0x4000'0000;
constexpr std::uint64_t kSymbolBase = kCodeBase + 0x6000'0000;
constexpr std::uint64_t kSymbolStep = 16;

llvm::Error unsupported(const std::string &what) {
  return createStringError(inconvertibleErrorCode(), what);
}

bool is_code(orc::MemProt protection) {
  return (protection & orc::MemProt::Exec) != orc::MemProt::None;
}

// True for read-only sections and for constants whose addresses are only known when the image is
// placed: a program's linker treats those as writable.
bool is_constant(const Section &section) {
  const StringRef name = section.getName();
  return (section.getMemProt() & orc::MemProt::Write) == orc::MemProt::None ||
         name.starts_with(".data.rel.ro") || name.contains(".DW.ref.");
}

// Sorts code and constants into one part, variables into the other.
llvm::Error sort_sections(LinkGraph &graph) {
  // JITLink's table of thread-local variables needs a run-time library of LLVM.
  if (const Section *threads = graph.findSectionByName("$__TLSINFO"); threads && !threads->empty())
    return unsupported("has variables of threads, which must be the program's own");
  for (Section &section : graph.sections()) {
    if (section.getMemLifetime() == orc::MemLifetime::NoAlloc)
      continue;
    section.setMemLifetime(orc::MemLifetime::Standard);
    section.setMemProt(orc::MemProt::Read |
                       (is_constant(section) ? orc::MemProt::Exec : orc::MemProt::Write));
  }
  return llvm::Error::success();
}

// Returns the name of a symbol that has one: text before LLVM 20.
StringRef name_of(const auto &symbol) {
  if constexpr (requires { StringRef(symbol.getName()); })
    return symbol.getName();
  else
    return *symbol.getName();
}

// Returns the graph of an object: with a pool for its names since LLVM 20.
auto graph_of(const auto &object, const auto &names) {
  if constexpr (requires { createLinkGraphFromObject(object, names); })
    return createLinkGraphFromObject(object, names);
  else
    return createLinkGraphFromObject(object);
}

// Returns the name of the symbol that a stub, or an entry of the address table, points to.
StringRef led_to(const Block &block) {
  if (block.edges_empty())
    return "";
  const Symbol &target = block.edges().begin()->getTarget();
  if (target.hasName())
    return name_of(target);
  return target.isDefined() ? led_to(target.getBlock()) : "";
}

// JITLink creates stubs and table entries in the order of their addresses in this process. Sorting
// them by name makes images of the same object identical. Blocks are laid out by address, and these
// have none yet.
llvm::Error sort_tables(LinkGraph &graph) {
  for (Section &section : graph.sections()) {
    if (!section.getName().starts_with("$__"))
      continue;
    std::vector<Block *> blocks(section.blocks().begin(), section.blocks().end());
    llvm::sort(blocks,
               [](const Block *one, const Block *other) { return led_to(*one) < led_to(*other); });
    std::uint64_t address = 0;
    for (Block *block : blocks)
      block->setAddress(orc::ExecutorAddr(++address));
  }
  return llvm::Error::success();
}

/// Lays out the parts in the image.
class Layout final : public JITLinkMemoryManager {
public:
  explicit Layout(core::CodeImage &image) : image_(image) {}

  void allocate(const JITLinkDylib *, LinkGraph &graph, OnAllocatedFunction done) override {
    BasicLayout layout(graph);
    for (auto &[group, segment] : layout.segments()) {
      const std::uint64_t alignment = segment.Alignment.value();
      if (alignment > core::kMostAlignment)
        return done(unsupported("is aligned to more than a page"));
      image_.alignment = std::max(image_.alignment, static_cast<std::uint32_t>(alignment));
      const bool in_code = is_code(group.getMemProt());
      std::string &part = in_code ? image_.code : image_.data;
      part.resize(segment.ContentSize + (in_code ? segment.ZeroFillSize : 0));
      if (!in_code)
        image_.zeroed = segment.ZeroFillSize;
      segment.Addr = orc::ExecutorAddr(in_code ? kCodeBase : kDataBase);
      segment.WorkingMem = part.data();
    }
    if (llvm::Error error = layout.apply())
      return done(std::move(error));
    done(std::make_unique<InFlight>());
  }
  using JITLinkMemoryManager::allocate;

  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction done) override {
    for (FinalizedAlloc &allocation : allocations)
      allocation.release();
    done(llvm::Error::success());
  }
  using JITLinkMemoryManager::deallocate;

private:
  struct InFlight final : InFlightAlloc {
    void abandon(OnAbandonedFunction done) override { done(llvm::Error::success()); }
    void finalize(OnFinalizedFunction done) override {
      done(FinalizedAlloc(orc::ExecutorAddr(kCodeBase)));
    }
  };

  core::CodeImage &image_;
};

/// Records the references to be filled in when the image is placed, in the same order each time.
class Fills {
public:
  explicit Fills(core::CodeImage &image) : image_(image) {}

  llvm::Error take_down(LinkGraph &graph) {
    std::vector<Block *> blocks;
    for (Block *block : graph.blocks())
      if (block->getSection().getMemLifetime() != orc::MemLifetime::NoAlloc)
        blocks.push_back(block);
    llvm::sort(blocks, [](const Block *one, const Block *other) {
      return one->getAddress() < other->getAddress();
    });
    for (Block *block : blocks)
      for (Edge &edge : block->edges())
        if (edge.isRelocation())
          if (llvm::Error error = take_down(graph, *block, edge))
            return error;
    return llvm::Error::success();
  }

private:
  struct Target {
    std::uint32_t symbol;
    std::int64_t offset;
  };

  static bool lies_in_code(const Block &block) { return is_code(block.getSection().getMemProt()); }

  llvm::Error take_down(const LinkGraph &graph, const Block &block, Edge &edge) {
    const Symbol &target = edge.getTarget();
    const bool stays = target.isDefined() && lies_in_code(target.getBlock()) == lies_in_code(block);
    if (image_.architecture != core::Architecture::x86_64)
      return take_down_elsewhere(graph, block, edge, stays);
    switch (edge.getKind()) {
    case x86_64::Pointer64:
      if (target.isAbsolute())
        return llvm::Error::success();
      return replace(block, edge, core::FillKind::address, edge.getAddend());
    case x86_64::PCRel32GOTLoadRelaxable:
    case x86_64::PCRel32GOTLoadREXRelaxable:
      if (edge.getAddend() == 0)
        add(block, edge, core::FillKind::load, behind_pointer(target), -4);
      return llvm::Error::success();
    case x86_64::BranchPCRel32ToPtrJumpStubBypassable:
      add(block, edge, core::FillKind::branch, behind_stub(target), edge.getAddend() - 4);
      return llvm::Error::success();
    case x86_64::BranchPCRel32:
    case x86_64::BranchPCRel32ToPtrJumpStub:
    case x86_64::PCRel32:
      if (stays)
        return llvm::Error::success();
      return replace(block, edge, core::FillKind::relative, edge.getAddend() - 4);
    case x86_64::Delta32:
      if (stays)
        return llvm::Error::success();
      return replace(block, edge, core::FillKind::relative, edge.getAddend());
#if LLVM_VERSION_MAJOR >= 20
    case x86_64::Size64:
    case x86_64::Size32:
      return llvm::Error::success();
    case x86_64::Delta16:
#endif
    case x86_64::Delta64:
    case x86_64::Delta8:
    case x86_64::NegDelta64:
    case x86_64::NegDelta32:
      if (stays)
        return llvm::Error::success();
      [[fallthrough]];
    default:
      return unsupported_edge(graph, edge);
    }
  }

  static llvm::Error unsupported_edge(const LinkGraph &graph, const Edge &edge) {
    const Symbol &target = edge.getTarget();
    return unsupported("refers to " + (target.hasName() ? name_of(target).str() : "its own data") +
                       " in a way that code which may lie anywhere cannot (" +
                       std::string(graph.getEdgeKindName(edge.getKind())) + ")");
  }

  // JITLink has created a table entry for every external symbol, and a stub for each that is
  // called.
  llvm::Error take_down_elsewhere(const LinkGraph &graph, const Block &block, Edge &edge,
                                  bool stays) {
    const auto kind = fill_of(edge.getKind());
    if (kind && !edge.getTarget().isAbsolute())
      return replace(block, edge, *kind, edge.getAddend());
    return stays || edge.getTarget().isAbsolute() ? llvm::Error::success()
                                                  : unsupported_edge(graph, edge);
  }

  // Returns the kind of fill for an edge that stores an absolute address.
  [[nodiscard]] std::optional<core::FillKind> fill_of(Edge::Kind kind) const {
    switch (image_.architecture) {
    case core::Architecture::x86_64:
      break;
    case core::Architecture::aarch64:
      if (kind == aarch64::Pointer64)
        return core::FillKind::address;
      break;
    case core::Architecture::armv7:
      if (kind == aarch32::Data_Pointer32)
        return core::FillKind::address32;
      if (kind == aarch32::Arm_MovwAbsNC)
        return core::FillKind::arm_low;
      if (kind == aarch32::Arm_MovtAbs)
        return core::FillKind::arm_high;
      break;
    case core::Architecture::riscv64:
      if (kind == riscv::R_RISCV_64)
        return core::FillKind::address;
      break;
    case core::Architecture::kernel: // the kernel's objects are not linked here
      break;
    }
    return std::nullopt;
  }

  /// Records the reference as a fill and makes JITLink leave the edge alone.
  llvm::Error replace(const Block &block, Edge &edge, core::FillKind kind, std::int64_t addend) {
    if (edge.getTarget().isAbsolute())
      return unsupported("refers to an address that is not its own by a distance");
    add(block, edge, kind, target_of(edge.getTarget()), addend);
    edge.setKind(Edge::KeepAlive);
    return llvm::Error::success();
  }

  void add(const Block &block, const Edge &edge, core::FillKind kind, const Target &target,
           std::int64_t addend) {
    const std::uint64_t address = (block.getAddress() + edge.getOffset()).getValue();
    const std::uint64_t at =
        lies_in_code(block) ? address - kCodeBase : address - kDataBase + image_.code.size();
    image_.fills.push_back({at, target.offset + addend, target.symbol, kind});
  }

  Target target_of(const Symbol &symbol) {
    const std::uint64_t address = symbol.getAddress().getValue();
    if (symbol.isDefined())
      return lies_in_code(symbol.getBlock())
                 ? Target{core::kOwnCode, static_cast<std::int64_t>(address - kCodeBase)}
                 : Target{core::kOwnData, static_cast<std::int64_t>(address - kDataBase)};
    const auto [known, is_new] =
        numbers_.try_emplace(&symbol, static_cast<std::uint32_t>(image_.symbols.size()));
    if (is_new)
      image_.symbols.push_back({name_of(symbol).str(), symbol.isWeaklyReferenced()});
    return {known->second, 0};
  }

  // A table entry has one edge, to its symbol; a stub has one edge, to its table entry.
  Target behind_pointer(const Symbol &row) {
    const Edge &edge = *row.getBlock().edges().begin();
    Target target = target_of(edge.getTarget());
    target.offset += edge.getAddend();
    return target;
  }
  Target behind_stub(const Symbol &stub) {
    return behind_pointer(stub.getBlock().edges().begin()->getTarget());
  }

  core::CodeImage &image_;
  std::map<const Symbol *, std::uint32_t> numbers_;
};

// An `adrp` computes a page address relative to its own page, so that the code would have to be
// placed at the same offset in a page as here. It becomes an `adr` with a distance in bytes to the
// same address; an offset that another instruction adds to it remains valid.
llvm::Error count_bytes_to_pages(LinkGraph &graph) {
  constexpr std::int64_t kReach = 1 << 20;
  constexpr std::uint32_t kRegister = 0x1f;
  constexpr std::uint32_t kAdr = 0x10000000;
  for (Block *block : graph.blocks())
    for (Edge &edge : block->edges()) {
      if (edge.getKind() != aarch64::Page21)
        continue;
      const std::uint64_t target = edge.getTarget().getAddress().getValue() + edge.getAddend();
      const auto distance = static_cast<std::int64_t>(
          (target & ~0xfffULL) - (block->getAddress() + edge.getOffset()).getValue());
      if (!edge.getTarget().isDefined() || distance < -kReach || distance >= kReach)
        return unsupported("has parts that are too far from each other");
      char *at = block->getMutableContent(graph).data() + edge.getOffset();
      const auto immediate = static_cast<std::uint32_t>(distance);
      support::endian::write32le(at, kAdr | (support::endian::read32le(at) & kRegister) |
                                         (immediate & 3) << 29 | (immediate >> 2 & 0x7ffff) << 5);
      edge.setKind(Edge::KeepAlive);
    }
  return llvm::Error::success();
}

class Link final : public JITLinkContext {
public:
  Link(core::CodeImage &image, llvm::Error &error)
      : JITLinkContext(nullptr), image_(image), error_(error), layout_(image), fills_(image) {}

  JITLinkMemoryManager &getMemoryManager() override { return layout_; }
  void notifyFailed(llvm::Error error) override {
    error_ = joinErrors(std::move(error_), std::move(error));
  }
  void lookup(const LookupMap &symbols,
              std::unique_ptr<JITLinkAsyncLookupContinuation> found) override {
    AsyncLookupResult result;
    std::uint64_t address = kSymbolBase;
    for (const auto &[name, flags] : symbols) {
      result[name] = {orc::ExecutorAddr(address), JITSymbolFlags::Exported};
      address += kSymbolStep;
    }
    found->run(std::move(result));
  }
  llvm::Error notifyResolved(LinkGraph &) override { return llvm::Error::success(); }
  void notifyFinalized(JITLinkMemoryManager::FinalizedAlloc allocation) override {
    allocation.release();
  }

  LinkGraphPassFunction getMarkLivePass(const Triple &) const override {
    return [this](LinkGraph &graph) {
      for (Symbol *symbol : graph.defined_symbols()) {
        if (!symbol->hasName() || !symbol->isCallable())
          continue;
        if (name_of(*symbol) == image_.name)
          symbol->setLive(true);
        // Other functions are dropped with their names if no reference uses the names.
        functions_.push_back({&symbol->getBlock(),
                              symbol->getOffset(),
                              {name_of(*symbol).str(), 0, symbol->getSize()}});
      }
      return llvm::Error::success();
    };
  }
  llvm::Error modifyPassConfig(LinkGraph &, PassConfiguration &passes) override {
    passes.PostPrunePasses.emplace_back(sort_sections);
    passes.PostPrunePasses.emplace_back(sort_tables);
    // LLVM's own passes would relax references that are only known when the image is placed.
    if (image_.architecture == core::Architecture::x86_64)
      passes.PreFixupPasses.clear();
    else
      passes.PostAllocationPasses.emplace_back([this](LinkGraph &) {
        return image_.data.size() + image_.zeroed > 0
                   ? unsupported("has variables of its own, which devices have no room for")
                   : llvm::Error::success();
      });
    if (image_.architecture == core::Architecture::aarch64)
      passes.PreFixupPasses.emplace_back(count_bytes_to_pages);
    passes.PreFixupPasses.emplace_back(
        [this](LinkGraph &graph) { return fills_.take_down(graph); });
    passes.PostFixupPasses.emplace_back([this](LinkGraph &graph) { return read_names(graph); });
    return llvm::Error::success();
  }

private:
  struct NamedFunction {
    const Block *block;
    std::uint64_t offset;
    core::Function shown;
  };

  llvm::Error read_names(LinkGraph &graph) {
    bool found = false;
    const std::set<const Block *> kept(graph.blocks().begin(), graph.blocks().end());
    for (NamedFunction &function : functions_) {
      if (!kept.contains(function.block))
        continue;
      function.shown.begin = function.block->getAddress().getValue() + function.offset - kCodeBase;
      if (function.shown.name == image_.name) {
        image_.entry = function.shown.begin;
        found = true;
      }
      if (function.shown.bytes > 0)
        image_.functions.push_back(std::move(function.shown));
    }
    // Debuggers step through stubs, and need to know where each begins.
    if (const Section *stubs = graph.findSectionByName("$__STUBS");
        stubs && image_.architecture == core::Architecture::x86_64)
      for (const Block *block : stubs->blocks())
        image_.functions.push_back({(led_to(*block) + "@plt").str(),
                                    block->getAddress().getValue() - kCodeBase, block->getSize()});
    if (const Section *frames = graph.findSectionByName(".eh_frame"); frames && !frames->empty()) {
      const SectionRange range(*frames);
      image_.unwind = range.getStart().getValue() - kCodeBase;
      image_.unwind_bytes = range.getSize();
    }
    llvm::sort(image_.functions, [](const core::Function &one, const core::Function &other) {
      return std::tie(one.begin, one.name) < std::tie(other.begin, other.name);
    });
    return found ? llvm::Error::success() : unsupported("has no function of this name");
  }

  core::CodeImage &image_;
  llvm::Error &error_;
  Layout layout_;
  Fills fills_;
  mutable std::vector<NamedFunction> functions_; // mutable: getMarkLivePass() is const
};

std::optional<core::Architecture> architecture_of(const Triple &triple) {
  switch (triple.getArch()) {
  case Triple::x86_64:
    return core::Architecture::x86_64;
  case Triple::aarch64:
    return core::Architecture::aarch64;
  case Triple::arm:
    return core::Architecture::armv7;
  case Triple::riscv64:
    return core::Architecture::riscv64;
  default:
    return std::nullopt;
  }
}

std::unexpected<Failure> refused(const std::string &subject, llvm::Error error) {
  return std::unexpected(Failure{ErrorCode::compile_failed, subject, toString(std::move(error)),
                                 "the generic code goes on"});
}

} // namespace

Result<core::CodeImage> make_image(const std::string &object, const std::string &entry) {
  // The graph shares the pool but is destroyed before the last names that JITLink holds.
  const auto names = std::make_shared<orc::SymbolStringPool>();
  auto graph = graph_of(MemoryBufferRef(object, entry), names);
  if (!graph)
    return refused(entry, graph.takeError());
  const auto architecture = architecture_of((*graph)->getTargetTriple());
  if (!architecture)
    return refused(entry, unsupported("is for an architecture that no images are made for"));
  core::CodeImage image;
  image.architecture = *architecture;
  image.name = entry;
  llvm::Error error = llvm::Error::success();
  jitlink::link(std::move(*graph), std::make_unique<Link>(image, error));
  if (error)
    return refused(entry, std::move(error));
  image.debug = debug_sections(object, image);
  return image;
}

} // namespace sartor::compiler
