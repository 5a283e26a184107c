/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SARTOR_MEASURE_H
#define SARTOR_MEASURE_H

#include "contexts.h"

long sartor_measure(struct sartor_token *token, struct sartor_measure *call);

#endif
