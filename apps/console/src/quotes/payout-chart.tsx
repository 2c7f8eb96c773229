import { useEffect, useRef, useState } from 'preact/hooks';
import { inRupees } from '../shell/words.js';
import { barsOf, labelledOf, shortRupees, ticksTo } from './chart.js';
import type { Payout } from './quote.js';

const FIRST_WIDTH = 640;
const HEIGHT = 220;
const LEFT = 64;
const BOTTOM = 28;
const TOP = 12;
const RIGHT = 8;
/** So much room a month needs below its bar. */
const LABEL_WIDTH = 64;

const months = new Intl.DateTimeFormat('en-GB', { month: 'short', year: '2-digit', timeZone: 'UTC' });
const monthOf = (date: string): string => months.format(new Date(`${date}T00:00:00Z`));

/** Width of the element, so that the text of the chart has the same size on every screen. */
function useWidth() {
  const ref = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(ref.current!);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

/** Interest over time: a bar for each payout. The table beside it says the same in numbers. */
export function PayoutChart({ payouts }: { readonly payouts: readonly Payout[] }) {
  const { ref, width: wide } = useWidth();
  const plot = { width: Math.max(1, wide - LEFT - RIGHT), height: HEIGHT - BOTTOM - TOP };
  const ticks = ticksTo(Math.max(0, ...payouts.map(({ amount }) => amount)));
  const highest = ticks.at(-1)!;
  const isLabelled = labelledOf(payouts.length, Math.max(1, Math.floor(plot.width / LABEL_WIDTH)));
  const yOf = (amount: number): number =>
    TOP + plot.height - (highest > 0 ? (amount / highest) * plot.height : 0);
  return (
    <figure class="chart" ref={ref}>
      <svg
        viewBox={`0 0 ${wide} ${HEIGHT}`}
        role="img"
        aria-label={`Interest paid in ${payouts.length} payouts`}
      >
        {ticks.map((tick) => (
          <g key={tick} class="tick">
            <line x1={LEFT} x2={wide - RIGHT} y1={yOf(tick)} y2={yOf(tick)} />
            <text x={LEFT - 8} y={yOf(tick) + 4} text-anchor="end">
              {shortRupees(tick)}
            </text>
          </g>
        ))}
        {barsOf(payouts, highest, plot).map(({ x, y, width, height }, index) => {
          const { date, amount } = payouts[index]!;
          return (
            <g key={date}>
              <rect class="bar" x={LEFT + x} y={TOP + y} width={width} height={height} rx="2">
                <title>{`${date}: ${inRupees(amount)}`}</title>
              </rect>
              {isLabelled(index) && (
                <text class="month" x={LEFT + x + width / 2} y={HEIGHT - 8} text-anchor="middle">
                  {monthOf(date)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <figcaption>Interest on the day it is paid</figcaption>
    </figure>
  );
}

/** Principal and interest at maturity, as one bar. */
export function GrowthBar({
  principal,
  interest,
}: {
  readonly principal: number;
  readonly interest: number;
}) {
  const share = (principal / (principal + interest)) * 100;
  return (
    <figure class="chart">
      <svg
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        class="growth"
        role="img"
        aria-label={`${inRupees(principal)} and ${inRupees(interest)} of interest`}
      >
        <rect class="bar soft" x="0" y="0" width={share} height="8" />
        <rect class="bar" x={share} y="0" width={100 - share} height="8" />
      </svg>
      <figcaption class="legend">
        <span class="key soft" aria-hidden="true" /> Principal {inRupees(principal)}
        <span class="key" aria-hidden="true" /> Interest {inRupees(interest)}
      </figcaption>
    </figure>
  );
}
