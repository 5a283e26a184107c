/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * BPF objects in a program: SARTOR_BPF_OBJECT(name) at file scope declares the bytes that
 * sartor_add_bpf_handler() has made of name.bpf.c, `sartor_bpf_object_name` to
 * `sartor_bpf_object_name_end`; in C++ also a function `name_object()` that returns them as a
 * std::string_view.
 */
#ifndef SARTOR_BPF_OBJECT_H
#define SARTOR_BPF_OBJECT_H

#ifdef __cplusplus
#include <cstddef>
#include <string_view>
#define SARTOR_BPF_OBJECT(name)                                                                    \
  extern "C" const unsigned char sartor_bpf_object_##name[];                                       \
  extern "C" const unsigned char sartor_bpf_object_##name##_end[];                                 \
  inline std::string_view name##_object() {                                                        \
    return {reinterpret_cast<const char *>(sartor_bpf_object_##name),                              \
            static_cast<std::size_t>(sartor_bpf_object_##name##_end - sartor_bpf_object_##name)};  \
  }
#else
#define SARTOR_BPF_OBJECT(name)                                                                    \
  extern const unsigned char sartor_bpf_object_##name[];                                           \
  extern const unsigned char sartor_bpf_object_##name##_end[]
#endif

#endif
