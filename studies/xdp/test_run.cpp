// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test_run.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <sartor/bpf/object.h>

#include "kernel_map.h"
#include "sequence.h"

SARTOR_BPF_OBJECT(sequence)

namespace xdp {

namespace {

bpf_test_run_opts options_for(const std::string &in, std::string &out, int repeat = 1) {
  return {.sz = sizeof(bpf_test_run_opts),
          .data_in = in.data(),
          .data_out = out.data(),
          .data_size_in = static_cast<std::uint32_t>(in.size()),
          .data_size_out = static_cast<std::uint32_t>(out.size()),
          .ctx_in = nullptr,
          .ctx_out = nullptr,
          .ctx_size_in = 0,
          .ctx_size_out = 0,
          .retval = 0,
          .repeat = repeat,
          .duration = 0,
          .flags = 0,
          .cpu = 0,
          .batch_size = 0};
}

void run(int program, bpf_test_run_opts &options) {
  if (bpf_prog_test_run_opts(program, &options) != 0)
    throw std::runtime_error(std::string("a program cannot be run: ") + std::strerror(errno));
}

} // namespace

Ran run(int program, const std::string &frame) {
  std::string out(frame.size() + 256, '\0');
  bpf_test_run_opts options = options_for(frame, out);
  run(program, options);
  out.resize(options.data_size_out);
  return {options.retval, out};
}

Sequence::Sequence(const std::vector<std::string> &frames) {
  const std::string_view bytes = sequence_object();
  bpf_object_open_opts options{};
  options.sz = sizeof options;
  options.object_name = "sequence";
  // Suppresses libbpf's warning about Sartor's section.
  const libbpf_print_fn_t print = libbpf_set_print(nullptr);
  object_ = bpf_object__open_mem(bytes.data(), bytes.size(), &options);
  libbpf_set_print(print);
  if (!object_ || bpf_object__load(object_) != 0) {
    bpf_object__close(object_);
    throw std::runtime_error(std::string("packets cannot be put before handlers: ") +
                             std::strerror(errno));
  }
  set(frames);
}

Sequence::~Sequence() { bpf_object__close(object_); }

void Sequence::set(const std::vector<std::string> &frames) {
  std::vector<SequencePacket> packets(sequence_length);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const std::string &frame = frames.at(i % frames.size());
    if (frame.size() > sizeof packets[i])
      throw std::runtime_error("a frame is too long");
    std::memcpy(packets[i].words, frame.data(), frame.size());
  }
  KernelMap(map("packets")).set_first(packets);
}

double Sequence::time(int program, std::uint32_t packets) {
  KernelMap(map("handler")).set(std::uint32_t{0}, program);
  const std::string in(sizeof(SequencePacket), '\0');
  std::string out(in.size() + 256, '\0');
  bpf_test_run_opts options = options_for(in, out, static_cast<int>(packets));
  run(this->program("sequence"), options);
  if (options.retval == 0)
    throw std::runtime_error("a handler cannot be called");
  return options.duration;
}

double Sequence::time_of_nothing(std::uint32_t packets) {
  return time(program("nothing"), packets);
}

int Sequence::program(const char *name) const {
  return bpf_program__fd(bpf_object__find_program_by_name(object_, name));
}

int Sequence::map(const char *name) const {
  return bpf_map__fd(bpf_object__find_map_by_name(object_, name));
}

} // namespace xdp
