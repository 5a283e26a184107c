/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Empty: searching needs nothing from this header. */
