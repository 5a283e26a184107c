# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Embeds the object in the program, for the Makefile. sartor_add_bpf_handler() generates its own file.
        .section .rodata
        .balign 16
        .globl sartor_bpf_object_filter, sartor_bpf_object_filter_end
sartor_bpf_object_filter:
        .incbin "filter.bpf.o"
sartor_bpf_object_filter_end:
        .section .note.GNU-stack,"",@progbits
