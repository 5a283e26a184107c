// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/follow.h"

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

#include "compiler/frontend/marks.h"
#include "compiler/specialize/certain_blocks.h"
#include "compiler/specialize/copies.h"
#include "compiler/specialize/identity.h"
#include "compiler/specialize/one_of.h"
#include "compiler/specialize/trail.h"
#include "compiler/specialize/which_member.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// A block of the function under some facts. Without facts, it is the block itself.
struct Node {
  BasicBlock *original;
  Facts facts;
  BasicBlock *decided = nullptr;         ///< The only successor that control can take, if known.
  DenseMap<BasicBlock *, Node *> next{}; ///< By successor of the original block.
  MapVector<Constant *, Node *> ways{};  ///< By the value of the sartor_one_of() at its end.
  BasicBlock *block = nullptr;
  /// Every call of the handler comes here, if guards pass: all branches in front are decided.
  bool is_certain = false;
};

/// Every block that control can come to, under the facts that hold there.
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
      // In part, what comes first in the code comes first.
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

  /// The followed phi nodes, by index, that go on and on, and by which next to nothing could be
  /// decided. The plan is of no use if there are any.
  [[nodiscard]] const SmallBitVector &endless() const { return endless_; }

  /// The followed phi node that has been seen with most values, by index.
  [[nodiscard]] unsigned widest() const {
    const auto most =
        std::ranges::max_element(values_, {}, [](const auto &seen) { return seen.size(); });
    return static_cast<unsigned>(most - values_.begin());
  }
  /// Whether it has chosen among many ways to go on.
  [[nodiscard]] bool dispatches(unsigned phi) const { return dispatching_.test(phi); }

  [[nodiscard]] unsigned copies() const {
    return static_cast<unsigned>(nodes_.size()) - originals_;
  }

  /// Whether a sartor_one_of() leads into the generic loop for values that are known.
  [[nodiscard]] bool lacks_edges() const { return lacks_edges_; }

  std::deque<Node> &nodes() { return nodes_; }

private:
  using Key = std::pair<BasicBlock *, Facts>;

  // An interpreter chooses among three ways at least: two operations, and the end.
  static constexpr unsigned kFewestToDispatch = 3;

  // What is followed in part is less than what may be followed as a whole: some of LLVM's passes
  // take far more than twice the time for code of twice the length, and what is left out is not
  // worth it.
  [[nodiscard]] bool is_full() const {
    return instructions_ > budget_.instructions / 4 || copies() > budget_.nodes / 4;
  }

  // So many values are looked at before it counts what was decided by them: of a loop that ends in
  // a way that is known, each turn decides something.
  static constexpr std::size_t kMostUndecided = 64;

  // What is decided by a phi node is decided by those that it takes its values from, too.
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

  /// Facts come in the order of their phi nodes.
  Node *find_or_add(BasicBlock &block, Facts facts) {
    if (extent_ == Extent::in_part && !facts.empty() && is_full() &&
        !known_.contains(Key(&block, facts)))
      facts.clear(); // on in the generic loop
    const auto [known, is_new] = known_.try_emplace(Key(&block, facts));
    if (!is_new)
      return known->second;
    if (facts.empty())
      ++originals_;
    else
      instructions_ += static_cast<unsigned>(block.size());
    nodes_.push_back(Node{&block, std::move(facts)});
    work_.push_back(&nodes_.back());
    return known->second = &nodes_.back();
  }

  void visit(Node &node) {
    evaluator_.assume(node.facts);
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
      node.decided = way_of_others(*end); // which is native code, no generic loop
    for (BasicBlock *next : successors(node.original)) {
      if ((node.decided && next != node.decided) || node.next.contains(next))
        continue;
      // Addresses of labels are those of the original blocks.
      const bool is_followed = trail_.is_hot(next) && (node.decided || !isa<IndirectBrInst>(end));
      node.next[next] = find_or_add(*next, is_followed ? facts_after(node, *next) : Facts());
    }
    BasicBlock *only = node.decided ? node.decided : only_way_on(*end);
    if (only && node.is_certain)
      node.next.lookup(only)->is_certain = true;
  }

  // Forks. What is noted counts wherever it is noted, so each new value is tried at each fork.

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
    const auto values = values_of(*compiler::watched_value(mark), evaluator_, node.facts);
    for (Constant *value : values)
      add_way(node, fork, mark, *value);
    if (values.empty() || node.ways.size() < values.size())
      node.next[&behind] = find_or_add(behind, {}); // of no value that is known
    if (!values.empty())
      return; // it has no others
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
          evaluator_.assume(fork.node->facts);
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
    Node *way = find_or_add(*fork.getParent(), facts_after(node, *fork.getParent()));
    if (!way->facts.empty()) {
      node.ways[&value] = way;
      ++edges_;
    }
    evaluator_.assume(node.facts);
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

  Facts facts_after(const Node &node, BasicBlock &next) {
    Facts facts;
    const SmallBitVector *mattering = trail_.mattering(&next);
    if (!mattering)
      return facts;
    for (const unsigned i : mattering->set_bits()) {
      PHINode *phi = trail_.phis()[i];
      if (phi->getParent() == &next) {
        if (endless_.test(i))
          continue;
        if (Constant *value = evaluator_.evaluate(*phi->getIncomingValueForBlock(node.original))) {
          facts.push_back({phi, value});
          note(i, *value);
        }
        continue;
      }
      const auto *known = find_if(node.facts, [&](const auto &fact) { return fact.first == phi; });
      if (known != node.facts.end())
        facts.push_back(*known);
    }
    return facts;
  }

  void note(unsigned phi, Constant &value) {
    auto &seen = values_[phi];
    seen.insert(&value);
    // What is computed from an endless one may have fewer values without it.
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
  std::vector<SmallPtrSet<Constant *, 8>> values_; ///< Of each phi node.
  std::vector<std::size_t> decisions_;             ///< By it.
  SmallBitVector dispatching_;
  std::vector<SmallBitVector> feeders_; ///< Of each, itself among them.
  struct Fork {
    Node *node;
    PHINode *phi;
    CallInst *mark;
  };
  std::vector<Fork> forks_; ///< That take what is noted.
  std::map<Type *, SmallSetVector<Constant *, 8>> noted_;
  std::vector<Constant *> fresh_; ///< Of those, what was not tried yet.
  SmallBitVector endless_;
  unsigned originals_ = 0;
  unsigned instructions_ = 0;
  unsigned edges_ = 0;
  bool lacks_edges_ = false;
};

/// Makes the code that a plan describes. All that is to be computed is computed first: afterwards
/// the function is no longer what the evaluator has seen.
class Rewrite {
public:
  Rewrite(Function &function, Evaluator &evaluator, std::deque<Node> &nodes)
      : function_(function), evaluator_(evaluator), nodes_(nodes), copies_(function) {}

  /// That become constants, by promise.
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
        if (node.facts.empty())
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
  /// What a phi node gets from one edge, in terms of original values.
  struct Entry {
    const Node *from;
    const Node *target;
    unsigned phi;
    llvm::Value *value;
  };

  // A scope's declaration and the accesses in it may come to be copied apart.
  void forget_noalias_scopes() {
    if (all_of(nodes_, [](const Node &node) { return node.facts.empty(); }))
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
    evaluator_.assume(node.facts);
    evaluator_.permit_calls(false);
    for (Instruction &instruction : *node.original)
      if (auto *load = dyn_cast<LoadInst>(&instruction); load && !load->use_empty())
        if (const auto promise = evaluator_.promise_of(*load))
          ++loads_[*promise];
    // Operands are replaced, not values: another copy's value may be another constant.
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
        break; // one edge is left, however many led there
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
    const bool is_copy = !node.facts.empty();
    node.block = is_copy ? copies_.clone_alone(*node.original, ".follow", map) : node.original;
    for (const Operand &operand : operands_.lookup(&node)) {
      // A copy lacks lifetime markers that no longer hold.
      auto *place = is_copy ? cast_or_null<Instruction>(map.lookup(operand.instruction))
                            : operand.instruction;
      if (place)
        place->setOperand(operand.index, operand.value);
      changed_ = true;
    }
  }

  // What nothing leads to any more may not lead to what stays: it knows of no such edge.
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

// Blocks can be copied one by one unless values flow between them that no phi node can carry.
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
  // A choice by an undefined condition is harmless, a branch by one is not.
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

/// What becomes of the loops, before they are copied.
void tell_of_loops(const Trail &trail, const std::deque<Node> &nodes, FoldStory &story) {
  for (const Loop *loop : trail.loops_over_memory()) {
    const auto copies = count_if(nodes, [&](const Node &node) {
      return node.original == loop->getHeader() && !node.facts.empty();
    });
    if (copies > 0)
      story.note_followed(*loop, static_cast<std::uint64_t>(copies));
    else
      story.note_left(*loop, trail.why_not(*loop));
  }
}

// Branches that are made may show more choices.
constexpr unsigned kForkRounds = 4;

} // namespace

bool follow(Function &function, Evaluator &evaluator, FollowBudget &left, FollowLimits &met,
            FoldStory &story, bool is_first) {
  story.begin(function);
  SmallPtrSet<PHINode *, 4> given_up;
  if (!can_be_followed(function)) {
    evaluator.enter(function);
    for (const Loop *loop : Trail(function, evaluator, given_up).loops_over_memory())
      story.note_left(*loop, "its function has what cannot be copied block by block");
    return false;
  }
  // Where there are forks, it is followed once, when all that is never reached is gone: that would
  // have a say in what can be computed. Copies have too many loops of their own to begin anew.
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
      tell_of_loops(trail, plan.nodes(), story);
      Rewrite rewrite(function, evaluator, plan.nodes());
      const bool changed = rewrite.run();
      if (changed)
        story.note_loads(rewrite.loads());
      return changed || waits;
    } else if (plan.dispatches(plan.widest()) && extent == Plan::Extent::whole) {
      extent = Plan::Extent::in_part;
    } else {
      given_up.insert(trail.phis()[plan.widest()]);
      met.gave_up = true;
    }
  }
}

} // namespace sartor::compiler
