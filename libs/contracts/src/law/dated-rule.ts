/** A text in each language of our pages. `{name}` is a parameter. */
export interface LawText {
  readonly en: string;
  readonly hi: string;
}

/** A rule of law as data: its name, its period, its source and its content. */
export interface DatedRule<Value> {
  readonly id: string;
  readonly law: string;
  readonly section: string;
  /** First day, YYYY-MM-DD. */
  readonly from: string;
  /** Last day; null: until further notice. */
  readonly to: string | null;
  readonly source: string;
  readonly value: Value;
}

/** The rule in force on a day, YYYY-MM-DD; undefined without one. */
export const ruleInForce = <Value>(
  rules: readonly DatedRule<Value>[],
  day: string,
): DatedRule<Value> | undefined => rules.find(({ from, to }) => from <= day && (to === null || day <= to));
