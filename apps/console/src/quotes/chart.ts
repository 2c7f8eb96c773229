import type { Payout } from './quote.js';

/** A bar of a chart, in the units of its box. */
export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Box {
  readonly width: number;
  readonly height: number;
}

/** Numbers for an axis from zero: at most `most` steps, each 1, 2, 2.5 or 5 times a power of ten. */
export function ticksTo(highest: number, most = 5): readonly number[] {
  if (!(highest > 0)) return [0];
  const rough = highest / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!;
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Returns a bar for each payout, side by side over the whole width; the highest tick has the height of the box. */
export function barsOf(payouts: readonly Payout[], highest: number, { width, height }: Box): readonly Bar[] {
  const slot = width / Math.max(1, payouts.length);
  const bar = Math.min(48, slot * 0.72);
  return payouts.map(({ amount }, index) => {
    const tall = highest > 0 ? (amount / highest) * height : 0;
    return { x: index * slot + (slot - bar) / 2, y: height - tall, width: bar, height: tall };
  });
}

/** Selects at most `most` of COUNT labels, evenly spaced, the first included. */
export function labelledOf(count: number, most = 8): (index: number) => boolean {
  const every = Math.max(1, Math.ceil(count / most));
  return (index) => index % every === 0;
}

/** 12500 as 12.5k, 250000 as 2.5L (lakh), for an axis. */
export function shortRupees(amount: number): string {
  if (amount >= 10_000_000) return `₹${trimmed(amount / 10_000_000)}Cr`;
  if (amount >= 100_000) return `₹${trimmed(amount / 100_000)}L`;
  if (amount >= 1_000) return `₹${trimmed(amount / 1_000)}k`;
  return `₹${trimmed(amount)}`;
}

const trimmed = (value: number): string => String(Number(value.toFixed(2)));
