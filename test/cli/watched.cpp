// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input for `sartor guards`: guarded stores, and all that cannot be proven.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include <unistd.h>

#include <sartor/watch.h>

namespace shop {

struct Order {
  int number = 0;
  SARTOR_WATCHED int price = 0;
  SARTOR_WATCHED char name[16] = {};
  SARTOR_WATCHED int never = 0;
};

void cheaper(Order &order) { order.price -= 1; }
void reset(Order &order) { order = Order(); }

int *stored = nullptr;
void store_address(Order &order) { stored = &order.price; }
int &return_reference(Order &order) { return order.price; }
void copy_text(Order &order, const char *text) { std::strcpy(order.name, text); }
bool receive(int from, Order &order) {
  return read(from, &order, sizeof order) == static_cast<ssize_t>(sizeof order);
}
void by_assembly(Order &order) { asm volatile("incl %0" : "+m"(order.price)); }
std::uintptr_t number(Order &order) { return reinterpret_cast<std::uintptr_t>(&order.price) | 1U; }
std::size_t offset() { return offsetof(Order, price); }
int Order::*member() { return &Order::price; }
void in_place(void *memory) { new (memory) Order(); }
void by_pointer(void (*change)(int *), Order &order) { change(&order.price); }

Order only;
int *const price_of_only = &only.price;

struct Parcel {
  SARTOR_WATCHED int weight;
};
void receive(int from, Parcel &parcel) {
  Parcel received;
  if (read(from, &received, sizeof received) > 0)
    parcel = received;
}

} // namespace shop

int main() {
  shop::Order order;
  shop::cheaper(order);
  shop::reset(order);
  std::printf("%d\n", order.price);
}
