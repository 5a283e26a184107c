// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_CLI_BLEND_H
#define SARTOR_TEST_CLI_BLEND_H

/// Each of `count` results is the weighted sum of `taps` samples from there on.
void blend(const float *samples, const float *weights, float *blended, int count, int taps);

#endif
