// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_CLI_BLEND_H
#define SARTOR_TEST_CLI_BLEND_H

/// Computes `count` results; result i is the weighted sum of the `taps` samples that begin at i.
void blend(const float *samples, const float *weights, float *blended, int count, int taps);

#endif
