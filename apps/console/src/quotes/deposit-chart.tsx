import { useEffect, useRef, useState } from 'preact/hooks';
import { inRupees, readableDate } from '../shell/words.js';
import { barsOf, labelledOf, shortRupees, ticksTo } from './chart.js';
import type { Moment } from './growth.js';

const FIRST_WIDTH = 640;
const HEIGHT = 240;
const LEFT = 64;
const BOTTOM = 28;
const TOP = 12;
const RIGHT = 8;
/** Minimum width of a month's label, in pixels. */
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

function saidOf({ date, amount, gained, isEstimate }: Moment): string {
  const paid = amount > 0 ? `${inRupees(amount)} paid, ` : '';
  return `${readableDate(date)}: ${paid}${isEstimate ? 'about ' : ''}${inRupees(gained)} gained so far`;
}

/** A bar for each payout, and a line for the total gain. The schedule contains the same numbers. */
export function DepositChart({
  moments,
  label,
}: {
  readonly moments: readonly Moment[];
  readonly label: string;
}) {
  const { ref, width: wide } = useWidth();
  const [shown, setShown] = useState(moments.length - 1);
  useEffect(() => setShown(moments.length - 1), [moments]);
  const plot = { width: Math.max(1, wide - LEFT - RIGHT), height: HEIGHT - BOTTOM - TOP };
  const ticks = ticksTo(Math.max(0, ...moments.map(({ gained }) => gained)));
  const highest = ticks.at(-1)!;
  const slot = plot.width / Math.max(1, moments.length);
  const isLabelled = labelledOf(moments.length, Math.max(1, Math.floor(plot.width / LABEL_WIDTH)));
  const xOf = (index: number): number => LEFT + (index + 0.5) * slot;
  const yOf = (amount: number): number =>
    TOP + plot.height - (highest > 0 ? (amount / highest) * plot.height : 0);
  const line = moments.map(({ gained }, index) => `${xOf(index)},${yOf(gained)}`);
  const current = moments[Math.min(shown, moments.length - 1)];
  return (
    <figure class="chart" ref={ref}>
      <div class="plot">
        <svg viewBox={`0 0 ${wide} ${HEIGHT}`} role="img" aria-label={label}>
          {ticks.map((tick) => (
            <g key={tick} class="tick">
              <line x1={LEFT} x2={wide - RIGHT} y1={yOf(tick)} y2={yOf(tick)} />
              <text x={LEFT - 8} y={yOf(tick) + 4} text-anchor="end">
                {shortRupees(tick)}
              </text>
            </g>
          ))}
          {barsOf(moments, highest, plot).map(({ x, y, width, height }, index) => (
            <g key={moments[index]!.date}>
              {height > 0 && (
                <rect class="bar" x={LEFT + x} y={TOP + y} width={width} height={height} rx="2" />
              )}
              {isLabelled(index) && (
                <text class="month" x={xOf(index)} y={HEIGHT - 8} text-anchor="middle">
                  {monthOf(moments[index]!.date)}
                </text>
              )}
            </g>
          ))}
          <polyline class="growth-line" points={[`${LEFT},${yOf(0)}`, ...line].join(' ')} />
          {current && <circle class="growth-point" cx={xOf(shown)} cy={yOf(current.gained)} r="4.5" />}
        </svg>
        <Moments {...{ moments, shown, onShow: setShown, slot }} />
      </div>
      <p class="chart-tip">{current && saidOf(current)}</p>
      <figcaption class="legend">
        <span class="key" aria-hidden="true" /> Paid on that day
        <span class="key line" aria-hidden="true" /> Gained since the start
      </figcaption>
    </figure>
  );
}

/** A button over each date, for pointer and arrow keys; only one of them is a tab stop. */
function Moments(props: {
  readonly moments: readonly Moment[];
  readonly shown: number;
  readonly onShow: (index: number) => void;
  readonly slot: number;
}) {
  const { moments, shown, onShow, slot } = props;
  const group = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const last = moments.length - 1;
    const aims: Record<string, number> = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: last };
    const aim = aims[event.key];
    if (aim === undefined) return;
    event.preventDefault();
    const index = Math.min(last, Math.max(0, aim));
    onShow(index);
    group.current?.querySelectorAll('button')[index]?.focus();
  };
  return (
    <div class="moments" ref={group} role="group" aria-label="Dates of the chart" onKeyDown={move}>
      {moments.map((moment, index) => (
        <button
          key={moment.date}
          type="button"
          tabIndex={index === shown ? 0 : -1}
          aria-label={saidOf(moment)}
          style={{ left: `${LEFT + index * slot}px`, width: `${slot}px` }}
          onPointerEnter={() => onShow(index)}
          onFocus={() => onShow(index)}
          onClick={() => onShow(index)}
        />
      ))}
    </div>
  );
}
