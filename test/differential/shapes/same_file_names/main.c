/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fixed */
#include "shape.h"
extern long (*volatile call_run_one)(long), (*volatile call_run_two)(long);
void reset_one(void);
void reset_two(void);
HANDLERS(LISTED(run_one), LISTED(run_two));
void program_run(unsigned input) {
  reset_one();
  reset_two();
  observe_number((unsigned long long)call_run_one(LOW(input)));
  observe_number((unsigned long long)call_run_two(LOW(input)));
  observe_number((unsigned long long)call_run_one(HIGH(input)));
}
