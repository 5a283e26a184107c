// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small parts of several tabs.
import { percent } from "./format";
import type { Gain } from "./records";

/** A gain with its interval; as a bar, too, if the range of all is given. */
export function Interval({ gain, range }: { gain: Gain | null; range: [number, number] | null }) {
  if (!gain) return <span class="muted">–</span>;
  const words = `${percent(gain.mean)} (${percent(gain.low)} to ${percent(gain.high)})`;
  if (!range) return <>{words}</>;
  const [low, high] = range;
  const at = (value: number) => Math.max(0, Math.min(100, ((value - low) / (high - low)) * 100));
  return (
    <span class="interval">
      <svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
        <line class="zero" x1={at(0)} x2={at(0)} y1="0" y2="12" />
        <line class={gain.low > 0 ? "good" : gain.high < 0 ? "bad" : "unsure"} x1={at(gain.low)} x2={Math.max(at(gain.high), at(gain.low) + 1)} y1="6" y2="6" />
        <line class="mean" x1={at(gain.mean)} x2={at(gain.mean)} y1="2" y2="10" />
      </svg>
      <span>{words}</span>
    </span>);
}

/** Links a remark's code to the text of its row. */
export function RemarkCode({ code, go }: { code: string; go: (code: string) => void }) {
  return <a class="code" href={`#remark-${code}`} onClick={(event) => { event.preventDefault(); event.stopPropagation(); go(code); }}>{code}</a>;
}
