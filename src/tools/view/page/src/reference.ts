// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of docs/reference, which build.mjs has read.
declare const REFERENCE: { remarks: [string, string, string][]; kinds: [string, string][]; failures: [string, string, string][] };

export const remarks = REFERENCE.remarks;
export const kinds = new Map(REFERENCE.kinds);
export const failures = new Map(REFERENCE.failures.map(([code, means, fix]) => [code, { means, fix }]));
