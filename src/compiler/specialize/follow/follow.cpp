// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/follow/follow.h"

#include <algorithm>
#include <deque>
#include <map>

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/readable.h"
#include "compiler/specialize/blocks.h"
#include "compiler/specialize/copies.h"
#include "compiler/specialize/fold/identity.h"
#include "compiler/specialize/fold/which_member.h"
#include "compiler/specialize/follow/trail.h"
#include "compiler/specialize/one_of.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// A copy of a block for known values of the followed phi nodes. Without known values, it is the
/// block itself.
struct Node {
  BasicBlock *original;
  PhiValues phi_values;
  BasicBlock *decided = nullptr;         ///< The only successor that control can take, if known.
  DenseMap<BasicBlock *, Node *> next{}; ///< By successor of the original block.
  MapVector<Constant *, Node *> ways{};  ///< By the value of the sartor_one_of() at its end.
  BasicBlock *block = nullptr;
  /// True if every call of the handler comes here when guards pass: all branches on the way are
  /// decided.
  bool is_certain = false;
};

/// All blocks that control can reach, with the known values there.
class Plan {
public:
  enum class Extent : std::uint8_t { whole, in_part };

  Plan(Function &function, Evaluator &evaluator, const Trail &trail, const FollowBudget &budget,
       Extent extent)
      : evaluator_(evaluator), trail_(trail), budget_(budget), extent_(extent),
        values_(trail.phis().size()), decisions_(trail.phis().size()),
        dispatching_(static_cast<unsigned>(trail.phis().size())),
        endless_(static_cast<unsigned>(trail.phis().size())) {
    find_feeders();
    find_or_add(function.getEntryBlock(), {})->is_certain = true;
    while (!work_.empty() && is_within_bounds()) {
      // If the function is followed in part, blocks are visited in program order.
      const bool is_first = extent_ == Extent::in_part;
      Node &node = is_first ? *work_.front() : *work_.back();
      is_first ? work_.pop_front() : work_.pop_back();
      visit(node);
      try_noted();
    }
  }

  [[nodiscard]] bool is_within_bounds() const {
    return instructions_ <= budget_.instructions && copies() <= budget_.nodes;
  }

  void take_off(FollowBudget &budget) const {
    budget.instructions -= instructions_;
    budget.nodes -= copies();
    budget.edges -= edges_;
  }

  /// Followed phi nodes, by index, that keep taking new values and decide almost no branches. The
  /// plan is discarded if there are any.
  [[nodiscard]] const SmallBitVector &endless() const { return endless_; }

  /// The index of the followed phi node with the largest number of values.
  [[nodiscard]] unsigned widest() const {
    const auto most =
        std::ranges::max_element(values_, {}, [](const auto &seen) { return seen.size(); });
    return static_cast<unsigned>(most - values_.begin());
  }
  /// True if the phi node has decided a branch with several successors.
  [[nodiscard]] bool dispatches(unsigned phi) const { return dispatching_.test(phi); }

  [[nodiscard]] unsigned copies() const {
    return static_cast<unsigned>(nodes_.size()) - originals_;
  }

  /// True if a sartor_one_of() leads into the generic loop although its values are known.
  [[nodiscard]] bool lacks_edges() const { return lacks_edges_; }

  std::deque<Node> &nodes() { return nodes_; }

private:
  using Key = std::pair<BasicBlock *, PhiValues>;

  // An interpreter has at least three ways to continue: two operations, and the end.
  static constexpr unsigned kFewestToDispatch = 3;

  // Following in part has a smaller budget than following as a whole: some LLVM passes take far
  // more than twice the time for code of twice the length, and partial results do not justify it.
  [[nodiscard]] bool is_full() const {
    return instructions_ > budget_.instructions / 4 || copies() > budget_.nodes / 4;
  }

  // The number of values of a phi node after which its decisions are counted: in a loop with a
  // known end, each iteration decides something.
  static constexpr std::size_t kMostUndecided = 64;

  // A decision by a phi node also counts for those that provide its values.
  void find_feeders() {
    const auto count = static_cast<unsigned>(trail_.phis().size());
    for (PHINode *phi : trail_.phis()) {
      SmallBitVector &feeders = feeders_.emplace_back(count);
      feeders.set(static_cast<unsigned>(feeders_.size() - 1));
      for (llvm::Value *value : phi->incoming_values())
        feeders |= trail_.roots_of(*value);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (SmallBitVector &feeders : feeders_) {
        const auto before = feeders.count();
        SmallBitVector more = feeders;
        for (const unsigned feeder : feeders.set_bits())
          more |= feeders_[feeder];
        feeders = std::move(more);
        changed = changed || feeders.count() > before;
      }
    }
  }

  /// `phi_values` is in the order of the phi nodes.
  Node *find_or_add(BasicBlock &block, PhiValues phi_values) {
    if (extent_ == Extent::in_part && !phi_values.empty() && is_full() &&
        !known_.contains(Key(&block, phi_values)))
      phi_values.clear(); // continues in the generic loop
    const auto [known, is_new] = known_.try_emplace(Key(&block, phi_values));
    if (!is_new)
      return known->second;
    if (phi_values.empty())
      ++originals_;
    else
      instructions_ += static_cast<unsigned>(block.size());
    nodes_.push_back(Node{&block, std::move(phi_values)});
    work_.push_back(&nodes_.back());
    return known->second = &nodes_.back();
  }

  void visit(Node &node) {
    evaluator_.assume(node.phi_values);
    evaluator_.permit_calls(node.is_certain);
    note_marks(*node.original);
    if (PHINode *fork = fork_behind(*node.original); fork && is_followed(*fork))
      if (CallInst *mark = fork_of(*fork); !evaluator_.evaluate(*mark))
        return begin_fork(node, *fork, *mark);
    Instruction *end = node.original->getTerminator();
    node.decided = evaluator_.decide(*end);
    if (node.decided)
      note_decision(*end);
    else
      node.decided = way_of_others(*end); // leads to native code, not to a generic loop
    for (BasicBlock *next : successors(node.original)) {
      if ((node.decided && next != node.decided) || node.next.contains(next))
        continue;
      // Addresses of labels are those of the original blocks.
      const bool is_followed = trail_.is_hot(next) && (node.decided || !isa<IndirectBrInst>(end));
      node.next[next] =
          find_or_add(*next, is_followed ? phi_values_after(node, *next) : PhiValues());
    }
    BasicBlock *only = node.decided ? node.decided : only_way_on(*end);
    if (only && node.is_certain)
      node.next.lookup(only)->is_certain = true;
  }

  // Forks. A value found anywhere may occur at every fork, so each new value is tried at each fork.

  [[nodiscard]] bool is_followed(const PHINode &phi) const {
    return is_contained(trail_.phis(), &phi);
  }

  void note_marks(BasicBlock &block) {
    for (Instruction &instruction : block)
      if (CallInst *mark = compiler::as_one_of(instruction))
        if (Constant *value = evaluator_.evaluate(*mark);
            value && noted_[mark->getType()].insert(value))
          fresh_.push_back(value);
  }

  void begin_fork(Node &node, PHINode &fork, CallInst &mark) {
    BasicBlock &behind = *fork.getParent();
    const auto values = values_of(*compiler::watched_value(mark), evaluator_, node.phi_values);
    for (Constant *value : values)
      add_way(node, fork, mark, *value);
    if (values.empty() || node.ways.size() < values.size())
      node.next[&behind] = find_or_add(behind, {}); // for unknown values
    if (!values.empty())
      return; // the fork has no other values
    for (Constant *value : noted_[mark.getType()])
      add_way(node, fork, mark, *value);
    forks_.push_back({&node, &fork, &mark});
  }

  void try_noted() {
    evaluator_.permit_calls(false);
    while (!fresh_.empty()) {
      Constant *value = fresh_.back();
      fresh_.pop_back();
      for (const Fork &fork : forks_)
        if (fork.mark->getType() == value->getType()) {
          evaluator_.assume(fork.node->phi_values);
          add_way(*fork.node, *fork.phi, *fork.mark, *value);
        }
    }
  }

  void add_way(Node &node, PHINode &fork, CallInst &mark, Constant &value) {
    if (node.ways.contains(&value) || was_tried(mark, value))
      return;
    if (edges_ == budget_.edges) {
      lacks_edges_ = true;
      return;
    }
    evaluator_.assume_also(mark, value);
    Node *way = find_or_add(*fork.getParent(), phi_values_after(node, *fork.getParent()));
    if (!way->phi_values.empty()) {
      node.ways[&value] = way;
      ++edges_;
    }
    evaluator_.assume(node.phi_values);
  }

  void note_decision(Instruction &end) {
    SmallBitVector deciding(static_cast<unsigned>(feeders_.size()));
    for (const unsigned root : trail_.roots_of(*end.getOperand(0)).set_bits())
      deciding |= feeders_[root];
    for (const unsigned phi : deciding.set_bits())
      ++decisions_[phi];
    if (end.getNumSuccessors() >= kFewestToDispatch)
      dispatching_ |= deciding;
  }

  PhiValues phi_values_after(const Node &node, BasicBlock &next) {
    PhiValues phi_values;
    const SmallBitVector *mattering = trail_.mattering(&next);
    if (!mattering)
      return phi_values;
    for (const unsigned i : mattering->set_bits()) {
      PHINode *phi = trail_.phis()[i];
      if (phi->getParent() == &next) {
        if (endless_.test(i))
          continue;
        if (Constant *value = evaluator_.evaluate(*phi->getIncomingValueForBlock(node.original))) {
          phi_values.push_back({phi, value});
          note(i, *value);
        }
        continue;
      }
      const auto *known =
          find_if(node.phi_values, [&](const auto &phi_value) { return phi_value.first == phi; });
      if (known != node.phi_values.end())
        phi_values.push_back(*known);
    }
    return phi_values;
  }

  void note(unsigned phi, Constant &value) {
    auto &seen = values_[phi];
    seen.insert(&value);
    // A phi node computed from an endless one may take fewer values once that is given up.
    if (seen.size() > kMostUndecided && !fork_of(*trail_.phis()[phi]) &&
        decisions_[phi] < seen.size() / 2 && !feeders_[phi].anyCommon(endless_))
      endless_.set(phi);
  }

  Evaluator &evaluator_;
  const Trail &trail_;
  const FollowBudget &budget_;
  const Extent extent_;
  std::deque<Node> nodes_;
  std::map<Key, Node *> known_;
  std::deque<Node *> work_;
  std::vector<SmallPtrSet<Constant *, 8>> values_; ///< By phi node.
  std::vector<std::size_t> decisions_;             ///< By phi node: the branches that it decided.
  SmallBitVector dispatching_;
  std::vector<SmallBitVector> feeders_; ///< By phi node, including itself.
  struct Fork {
    Node *node;
    PHINode *phi;
    CallInst *mark;
  };
  std::vector<Fork> forks_; ///< Forks that accept all found values.
  std::map<Type *, SmallSetVector<Constant *, 8>> noted_;
  std::vector<Constant *> fresh_; ///< The found values that were not tried yet.
  SmallBitVector endless_;
  unsigned originals_ = 0;
  unsigned instructions_ = 0;
  unsigned edges_ = 0;
  bool lacks_edges_ = false;
};

/// Generates the code that a plan describes. All computations come first: afterwards the function
/// differs from what the evaluator has seen.
class Rewrite {
public:
  Rewrite(Function &function, Evaluator &evaluator, std::deque<Node> &nodes)
      : function_(function), evaluator_(evaluator), nodes_(nodes), copies_(function) {}

  /// Returns the number of loads that become constants, by invariant.
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t> &loads() const { return loads_; }

  bool run() {
    forget_noalias_scopes();
    for (Node &node : nodes_)
      compute(node);
    for (Node &node : nodes_)
      make(node);
    cut_off_unreached();
    for (Node &node : nodes_)
      for (PHINode &phi : node.original->phis())
        if (node.phi_values.empty())
          while (phi.getNumIncomingValues() > 0)
            phi.removeIncomingValue(phi.getNumIncomingValues() - 1, /*DeletePHIIfEmpty=*/false);
    for (const Entry &entry : entries_)
      std::next(entry.target->block->phis().begin(), entry.phi)
          ->addIncoming(entry.value, entry.from->block);
    for (Node &node : nodes_)
      lead_on(node);
    copies_.repair();
    EliminateUnreachableBlocks(function_);
    return changed_;
  }

private:
  /// An operand that is a constant in one copy of an instruction.
  struct Operand {
    Instruction *instruction;
    unsigned index;
    Constant *value;
  };
  /// The incoming value of a phi node for one edge, in terms of original values.
  struct Entry {
    const Node *from;
    const Node *target;
    unsigned phi;
    llvm::Value *value;
  };

  // A scope's declaration and its accesses may be copied separately, so the scopes are dropped.
  void forget_noalias_scopes() {
    if (all_of(nodes_, [](const Node &node) { return node.phi_values.empty(); }))
      return;
    for (Node &node : nodes_)
      for (Instruction &instruction : make_early_inc_range(*node.original)) {
        instruction.setMetadata(LLVMContext::MD_noalias, nullptr);
        instruction.setMetadata(LLVMContext::MD_alias_scope, nullptr);
        if (isa<NoAliasScopeDeclInst>(instruction))
          instruction.eraseFromParent();
      }
  }

  void compute(const Node &node) {
    evaluator_.assume(node.phi_values);
    evaluator_.permit_calls(false);
    for (Instruction &instruction : *node.original)
      if (auto *load = dyn_cast<LoadInst>(&instruction); load && !load->use_empty())
        if (const auto invariant = evaluator_.invariant_of(*load))
          ++loads_[*invariant];
    // Operands are replaced, not values: in another copy, the value may be another constant.
    for (Instruction &instruction : *node.original)
      if (!isa<PHINode>(instruction))
        for (unsigned i = 0; i < instruction.getNumOperands(); ++i)
          if (auto *operand = dyn_cast<Instruction>(instruction.getOperand(i)))
            if (Constant *value = evaluator_.evaluate(*operand);
                value && !keeps_identity(instruction.getOperandUse(i)))
              operands_[&node].push_back({&instruction, i, value});
    for (BasicBlock *next : successors(node.original)) {
      if ((node.decided && next != node.decided) || !node.next.contains(next))
        continue;
      unsigned index = 0;
      for (PHINode &phi : next->phis()) {
        const int edge = phi.getBasicBlockIndex(node.original);
        llvm::Value *value = phi.getIncomingValue(static_cast<unsigned>(edge));
        Constant *constant = isa<Constant>(value) ? nullptr : evaluator_.evaluate(*value);
        if (constant && keeps_identity(phi.getOperandUse(static_cast<unsigned>(edge))))
          constant = nullptr;
        changed_ = changed_ || constant;
        entries_.push_back({&node, node.next.lookup(next), index++, constant ? constant : value});
      }
      if (node.decided)
        break; // only one of several edges to the block is left
    }
    if (node.ways.empty())
      return;
    PHINode &fork = *fork_behind(*node.original);
    const bool stays_itself = fork.getType()->isPointerTy();
    for (const auto &[value, way] : node.ways) {
      llvm::Value *taken = value;
      entries_.push_back({&node, way, 0, stays_itself ? fork_of(fork) : taken});
    }
  }

  void make(Node &node) {
    ValueToValueMapTy map;
    const bool is_copy = !node.phi_values.empty();
    node.block = is_copy ? copies_.clone_alone(*node.original, ".follow", map) : node.original;
    for (const Operand &operand : operands_.lookup(&node)) {
      // A copy lacks lifetime markers that are no longer valid.
      auto *place = is_copy ? cast_or_null<Instruction>(map.lookup(operand.instruction))
                            : operand.instruction;
      if (place)
        place->setOperand(operand.index, operand.value);
      changed_ = true;
    }
  }

  // Redirects edges from unreached to reached blocks, whose phi nodes have no entries for them.
  void cut_off_unreached() {
    SmallPtrSet<BasicBlock *, 32> reached;
    for (const Node &node : nodes_)
      reached.insert(node.block);
    SmallVector<BasicBlock *> unreached;
    for (BasicBlock &block : function_)
      if (!reached.contains(&block))
        unreached.push_back(&block);
    for (BasicBlock *block : unreached) {
      for (PHINode &phi : block->phis())
        while (phi.getNumIncomingValues() > 0)
          phi.removeIncomingValue(phi.getNumIncomingValues() - 1, /*DeletePHIIfEmpty=*/false);
      Instruction *end = block->getTerminator();
      for (unsigned i = 0; i < end->getNumSuccessors(); ++i)
        end->setSuccessor(i, &nowhere());
    }
  }

  BasicBlock &nowhere() {
    if (!nowhere_) {
      nowhere_ = BasicBlock::Create(function_.getContext(), "", &function_);
      new UnreachableInst(function_.getContext(), nowhere_);
    }
    return *nowhere_;
  }

  void lead_on(const Node &node) {
    Instruction *end = node.block->getTerminator();
    if (node.decided) {
      BranchInst::Create(node.next.lookup(node.decided)->block, end->getIterator());
      end->eraseFromParent();
      changed_ = true;
      return;
    }
    for (unsigned i = 0; i < end->getNumSuccessors(); ++i)
      if (Node *next = node.next.lookup(end->getSuccessor(i)))
        end->setSuccessor(i, next->block);
      else
        end->setSuccessor(i, &nowhere());
    if (node.ways.empty())
      return;
    SmallVector<std::pair<Constant *, BasicBlock *>> ways;
    for (const auto &[value, way] : node.ways)
      ways.emplace_back(value, way->block);
    choose_among(*node.block, ways);
    changed_ = true;
  }

  Function &function_;
  Evaluator &evaluator_;
  std::deque<Node> &nodes_;
  Copies copies_;
  DenseMap<const Node *, std::vector<Operand>> operands_;
  std::vector<Entry> entries_;
  std::map<std::uint64_t, std::uint64_t> loads_;
  BasicBlock *nowhere_ = nullptr;
  bool changed_ = false;
};

// Blocks can be copied individually unless values flow between them that no phi node can carry.
bool can_be_followed(const Function &function) {
  if (function.isPresplitCoroutine())
    return false;
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      if (instruction.getType()->isTokenTy() || isa<CallBrInst>(instruction) ||
          (call && (call->cannotDuplicate() || call->hasFnAttr(Attribute::ReturnsTwice))))
        return false;
    }
  return true;
}

void make_branch(Instruction &fork) {
  IRBuilder<> builder(&fork);
  llvm::Value *condition = fork.getOperand(0);
  llvm::Value *if_true = nullptr;
  llvm::Value *if_false = nullptr;
  if (auto *select = dyn_cast<SelectInst>(&fork)) {
    if_true = select->getTrueValue();
    if_false = select->getFalseValue();
  } else {
    if_true = isa<SExtInst>(fork) ? Constant::getAllOnesValue(fork.getType())
                                  : ConstantInt::get(fork.getType(), 1);
    if_false = Constant::getNullValue(fork.getType());
  }
  // A select with an undefined condition is harmless, a branch is not.
  if (!isGuaranteedNotToBeUndefOrPoison(condition))
    condition = builder.CreateFreeze(condition);
  BasicBlock *head = fork.getParent();
  Instruction *taken = SplitBlockAndInsertIfThen(condition, fork.getIterator(), false);
  BasicBlock *tail = fork.getParent();
  auto *phi = PHINode::Create(fork.getType(), 2, "", tail->begin());
  phi->addIncoming(if_true, taken->getParent());
  phi->addIncoming(if_false, head);
  fork.replaceAllUsesWith(phi);
  fork.eraseFromParent();
}

/// Records the outcome for each loop, before the loops are copied.
void report_loops(const Trail &trail, const std::deque<Node> &nodes, FoldRecorder &report) {
  for (const Loop *loop : trail.loops_over_memory()) {
    const auto copies = count_if(nodes, [&](const Node &node) {
      return node.original == loop->getHeader() && !node.phi_values.empty();
    });
    if (copies > 0)
      report.note_followed(*loop, static_cast<std::uint64_t>(copies));
    else
      report.note_left(*loop, trail.why_not(*loop));
  }
}

// Each new branch may reveal more choices.
constexpr unsigned kForkRounds = 4;

} // namespace

bool follow(Function &function, Evaluator &evaluator, FollowBudget &left, FollowLimits &met,
            FoldRecorder &report, bool is_first) {
  report.begin(function);
  SmallPtrSet<PHINode *, 4> given_up;
  if (!can_be_followed(function)) {
    evaluator.enter(function);
    for (const Loop *loop : Trail(function, evaluator, given_up).loops_over_memory())
      report.note_left(*loop, "its function has what cannot be copied block by block");
    return false;
  }
  // A function with forks is followed once, after unreachable code has been removed, because that
  // would affect what can be computed. It is not followed again: the copies contain too many loops.
  const bool waits = is_first && !compiler::one_ofs_of(function).empty();
  if (waits || has_forked(function))
    for (BasicBlock &block : function)
      for (PHINode &phi : block.phis())
        given_up.insert(&phi);
  for (unsigned round = 0; round < kForkRounds; ++round) {
    evaluator.enter(function);
    const auto forks = Trail(function, evaluator, given_up).forks();
    for (Instruction *fork : forks)
      make_branch(*fork);
    if (forks.empty())
      break;
  }
  make_forks(function, evaluator);
  evaluator.enter(function);
  auto extent = Plan::Extent::whole;
  for (;;) {
    const Trail trail(function, evaluator, given_up);
    Plan plan(function, evaluator, trail, left, extent);
    if (plan.endless().any()) {
      for (const unsigned phi : plan.endless().set_bits())
        given_up.insert(trail.phis()[phi]);
    } else if (plan.is_within_bounds()) {
      if (extent == Plan::Extent::in_part || plan.lacks_edges())
        met.copies_in_part += plan.copies();
      plan.take_off(left);
      report_loops(trail, plan.nodes(), report);
      Rewrite rewrite(function, evaluator, plan.nodes());
      const bool changed = rewrite.run();
      if (changed)
        report.note_loads(rewrite.loads());
      return changed || waits;
    } else if (plan.dispatches(plan.widest()) && extent == Plan::Extent::whole) {
      extent = Plan::Extent::in_part;
      met.place = compiler::place_of(*trail.phis()[plan.widest()]->getParent());
    } else {
      given_up.insert(trail.phis()[plan.widest()]);
      met.place = compiler::place_of(*trail.phis()[plan.widest()]->getParent());
      met.gave_up = true;
    }
  }
}

} // namespace sartor::compiler
