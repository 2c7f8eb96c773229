import {
  Counter,
  type CounterConfiguration,
  Histogram,
  type HistogramConfiguration,
  type Registry,
} from 'prom-client';

type Labels = Readonly<Record<string, string>>;

type FromZero<Config, Known extends Labels> = Omit<Config, 'labelNames' | 'registers'> & {
  /** Labels of all expected series, each with all labels. */
  readonly series: readonly Known[];
};

/** A `Counter` that takes only the labels of its known series. */
export interface KnownCounter<Known extends Labels> {
  inc(labels: Known, by?: number): void;
}

/** A `Histogram` that takes only the labels of its known series. */
export interface KnownHistogram<Known extends Labels> {
  /** @returns a function to call at the end, with the remaining labels; it returns seconds */
  startTimer(labels?: Partial<Known>): (labels?: Partial<Known>) => number;
}

/**
 * Creates a counter whose series start at zero. Prometheus sees no increase when a series appears with its first event, so
 * an alert on that event would not fire.
 */
export function counterFromZero<const Known extends Labels>(
  registry: Registry,
  { series, ...config }: FromZero<CounterConfiguration<string>, Known>,
): KnownCounter<Known> {
  const counter = new Counter({ ...config, labelNames: namesIn(series), registers: [registry] });
  for (const labels of series) counter.inc({ ...labels }, 0);
  return counter;
}

export function histogramFromZero<const Known extends Labels>(
  registry: Registry,
  { series, ...config }: FromZero<HistogramConfiguration<string>, Known>,
): KnownHistogram<Known> {
  const histogram = new Histogram({ ...config, labelNames: namesIn(series), registers: [registry] });
  for (const labels of series) histogram.zero(labels);
  return histogram;
}

const namesIn = ([first = {}]: readonly Labels[]): string[] => Object.keys(first);
