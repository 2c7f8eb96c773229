const DAY_MS = 86_400_000;

interface NewDeposit {
  readonly amount: number;
  readonly days: number;
  /** YYYY-MM-DD */
  readonly from: string;
  /** Per cent a year. */
  readonly rate: number;
  readonly restMonths: number;
}

/** Midnight in UTC of a date. */
const timeOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);

/** The amount that Fineract pays: interest of each day over 365, added to the balance when a calendar period ends. */
export function maturityAmount({ amount, days, from, rate, restMonths }: NewDeposit): number {
  const end = timeOf(from) + days * DAY_MS;
  let balance = amount;
  for (let day = timeOf(from); day < end;) {
    const until = Math.min(nextRest(new Date(day), restMonths), end);
    balance *= 1 + ((rate / 100) * (until - day)) / DAY_MS / 365;
    day = until;
  }
  return Math.round(balance * 100) / 100;
}

/** The first day of the next calendar period of so many months. */
function nextRest(day: Date, months: number): number {
  const month = Math.floor(day.getUTCMonth() / months) * months + months;
  return Date.UTC(day.getUTCFullYear(), month, 1);
}

/** [year, month, day] */
export function maturityDate({ days, from }: Pick<NewDeposit, 'days' | 'from'>): number[] {
  const end = new Date(timeOf(from) + days * DAY_MS);
  return [end.getUTCFullYear(), end.getUTCMonth() + 1, end.getUTCDate()];
}
