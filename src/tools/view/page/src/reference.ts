// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of docs/reference, which build.mjs has read.
declare const REFERENCE: { remarks: [code: string, meaning: string, fix: string, reasons: [reason: string, fix: string][]][]; kinds: [string, string][]; failures: [string, string, string][] };

export const remarks = REFERENCE.remarks;
export const helpOn = new Map(REFERENCE.remarks.map(([code, meaning, fix]) => [code, { meaning, fix }]));
export const kinds = new Map(REFERENCE.kinds);
export const failures = new Map(REFERENCE.failures.map(([code, means, fix]) => [code, { means, fix }]));
