// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tree_code.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tree.h"

namespace lpm {

namespace {

using sartor::Builder;
using Operand = Builder::Operand;
using Predicate = Builder::Predicate;

/// The looked-up address, from the point's arguments after the table, and constants of the same
/// type to compare it with.
template <class Address> class Key;

template <> class Key<Address4> {
public:
  explicit Key(Builder &builder) : b_(builder), address_(builder.argument(1)) {}

  Operand is_below(Address4 start) {
    return b_.compare(Predicate::less, address_, b_.constant(start));
  }
  Operand lead() { return address_; }
  void search_in(const std::vector<Address4> &starts) { starts_ = b_.table(starts); }
  Operand is_at_least(Operand index) {
    return b_.compare(Predicate::greater_or_equal, address_,
                      b_.load(sartor::types::u32, starts_, index));
  }

private:
  Builder &b_;
  Operand address_;
  Operand starts_;
};

template <> class Key<Address6> {
public:
  explicit Key(Builder &builder)
      : b_(builder), high_(builder.argument(1)), low_(builder.argument(2)) {}

  Operand is_below(Address6 start) {
    if (low(start) == 0)
      return b_.compare(Predicate::less, high_, b_.constant(high(start)));
    return compare(Predicate::less, Predicate::less, b_.constant(high(start)),
                   b_.constant(low(start)));
  }
  Operand lead() { return high_; }
  void search_in(const std::vector<Address6> &starts) {
    std::vector<std::uint64_t> highs;
    std::vector<std::uint64_t> lows;
    for (const Address6 start : starts) {
      highs.push_back(high(start));
      lows.push_back(low(start));
    }
    highs_ = b_.table(highs);
    // Compares only the high halves if possible, as prefixes longer than 64 bits are rare.
    only_highs_ = std::ranges::count(lows, 0) == static_cast<std::ptrdiff_t>(lows.size());
    if (!only_highs_)
      lows_ = b_.table(lows);
  }
  Operand is_at_least(Operand index) {
    const Operand start = b_.load(sartor::types::u64, highs_, index);
    if (only_highs_)
      return b_.compare(Predicate::greater_or_equal, high_, start);
    return compare(Predicate::greater, Predicate::greater_or_equal, start,
                   b_.load(sartor::types::u64, lows_, index));
  }

private:
  /// Combines the comparisons of the halves of two 128-bit numbers.
  Operand compare(Predicate of_highs, Predicate of_lows, Operand high_half, Operand low_half) {
    return b_.or_(b_.compare(of_highs, high_, high_half),
                  b_.and_(b_.compare(Predicate::equal, high_, high_half),
                          b_.compare(of_lows, low_, low_half)));
  }

  Builder &b_;
  Operand high_;
  Operand low_;
  Operand highs_;
  Operand lows_;
  bool only_highs_ = false;
};

template <class Address> class Writer {
public:
  Writer(Builder &builder, const Tree<Address> &tree) : b_(builder), tree_(tree), key_(builder) {}

  void write(typename Tree<Address>::Part part) {
    if (tree_.is_leaf(part)) {
      if (part.last - part.first == 1)
        b_.result(b_.constant(tree_.range(part.first).hop));
      else
        search(part);
      return;
    }
    const std::size_t middle = Tree<Address>::middle(part);
    const Builder::Block below = b_.block();
    const Builder::Block above = b_.block();
    b_.branch(key_.is_below(tree_.range(middle).start), below, above);
    b_.enter(below);
    write({part.first, middle});
    b_.enter(above);
    write({middle, part.last});
  }

private:
  void search(typename Tree<Address>::Part part) {
    const Search<Address> search = tree_.search(part);
    key_.search_in(search.starts);
    Operand index = begin(search);
    // Arithmetic instead of selects, because LLVM turns selects that wait for a load into branches.
    for (unsigned bit = search.steps; bit-- > 0;) {
      const Operand further = b_.add(index, b_.constant(std::uint64_t{1} << bit));
      index =
          b_.add(index, b_.shift_left(b_.zero_extend(key_.is_at_least(further), sartor::types::u64),
                                      b_.constant(std::uint64_t{bit})));
    }
    b_.result(b_.load(sartor::types::u32, b_.table(search.hops), index));
  }

  /// Emits the start of the search.
  Operand begin(const Search<Address> &search) {
    if (search.buckets.size() == 1)
      return b_.constant(std::uint64_t{0});
    Operand number = key_.lead();
    const Operand origin = b_.constant(search.origin);
    if (search.clamped) {
      const Operand last = b_.constant(search.last);
      number = b_.select(b_.compare(Predicate::less, number, origin), origin, number);
      number = b_.select(b_.compare(Predicate::greater, number, last), last, number);
    }
    const Operand bucket = b_.shift_right_logical(
        b_.subtract(number, origin), b_.constant(static_cast<Lead<Address>>(search.shift)));
    return b_.zero_extend(b_.load(sartor::types::u32, b_.table(search.buckets),
                                  b_.zero_extend(bucket, sartor::types::u64)),
                          sartor::types::u64);
  }

  Builder &b_;
  const Tree<Address> &tree_;
  Key<Address> key_;
};

} // namespace

template <class Address>
sartor::Generator decision_tree(std::shared_ptr<const RouteSet<Address>> set) {
  return [set = std::move(set)](Builder &builder) {
    const Tree<Address> tree(*set, builder.setting().bits());
    Writer<Address>(builder, tree).write(tree.whole());
  };
}

template sartor::Generator decision_tree(std::shared_ptr<const RouteSet4>);
template sartor::Generator decision_tree(std::shared_ptr<const RouteSet6>);

} // namespace lpm
