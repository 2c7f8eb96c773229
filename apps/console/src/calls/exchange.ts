/** One call as it is made. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a call without a body. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON as a value, anything else as text. */
  readonly body: unknown;
}

/** A call with its outcome. */
export interface Exchange {
  readonly id: number;
  readonly title: string;
  /** Made by the console itself, to read the journey. */
  readonly isBackground: boolean;
  readonly request: Outgoing;
  readonly durationMs: number;
  /** When it was sent, ISO 8601. */
  readonly at: string;
  /** Undefined without an answer. */
  readonly answer?: Answer;
  /** Why there was no answer. */
  readonly problem?: string;
}

export const isGood = ({ answer }: Exchange): boolean => answer !== undefined && answer.status < 400;

/** The payload of an enveloped answer; an empty object for any other. */
export function payloadOf({ answer }: Exchange): Readonly<Record<string, unknown>> {
  const body = answer?.body as { payload?: Record<string, unknown> } | null | undefined;
  return body?.payload ?? {};
}

/** Whether a call has a text in its title, address, bodies or status. */
export function isAbout({ title, request, answer }: Exchange, text: string): boolean {
  const parts = [title, request.method, request.url, request.body, answer?.status, answer?.body];
  return JSON.stringify(parts).toLowerCase().includes(text.trim().toLowerCase());
}

/** What the log shows. */
export interface LogFilter {
  /** Also the calls that the console makes for itself. */
  readonly isAll: boolean;
  readonly isFailedOnly: boolean;
  readonly search: string;
}

/** The calls that the log shows, and whether there are none because the search or a filter hides them. */
export function shownCalls(
  exchanges: readonly Exchange[],
  { isAll, isFailedOnly, search }: LogFilter,
): { readonly shown: readonly Exchange[]; readonly isHidden: boolean } {
  const listed = exchanges.filter(({ isBackground }) => isAll || !isBackground);
  const shown = listed
    .filter((exchange) => !isFailedOnly || !isGood(exchange))
    .filter((exchange) => isAbout(exchange, search));
  return { shown, isHidden: shown.length === 0 && listed.length > 0 };
}

export interface Refusal {
  readonly code: string;
  /** Name of the refused field; empty where the call as a whole is refused. */
  readonly field: string;
  readonly text: string;
}

/** The reasons of an enveloped failure, as text; empty for a success. */
export function refusalsOf(exchange: Exchange): readonly Refusal[] {
  if (exchange.problem !== undefined) return [{ code: '', field: '', text: exchange.problem }];
  if (isGood(exchange)) return [];
  const body = exchange.answer?.body as { message?: unknown; error?: unknown } | null;
  const items = Array.isArray(body?.error) ? (body.error as Record<string, unknown>[]) : [];
  const problems = items.map(({ errorCode, error, field, f_error_message: friendly }) => ({
    code: textOf(errorCode),
    field: textOf(field),
    text: [textOf(friendly), textOf(error)].find((text) => text.trim() !== '') ?? '',
  }));
  return problems.length > 0
    ? problems
    : [{ code: '', field: '', text: textOf(body?.message) || 'The call was refused.' }];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
