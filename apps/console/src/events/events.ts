import type { Behaviour, DeliveryTry, EventDelivery, PartnerEvent } from '../shell/sandbox-api.js';
import { inSeconds, readableTime, spoken } from '../shell/words.js';

/** What the backend can be told, with its consequence. */
export const BEHAVIOUR_TEXTS: Readonly<Record<Behaviour, readonly [label: string, consequence: string]>> = {
  accept: ['Accept', 'Answers 204: the event is delivered.'],
  fail: [
    'Fail',
    'Answers 500: users-service tries again after 5 seconds, 5 minutes, 30 minutes, and so on for 3 days.',
  ],
  hang: [
    'Hang',
    'Does not answer: users-service gives up after 10 seconds, and tries again as after a failure.',
  ],
  gone: ['Gone', 'Answers 410: users-service pauses all deliveries until an operator resumes them.'],
};

/** The event in the body of a delivery; undefined for a body that contains none. */
export function eventIn(body: string): PartnerEvent | undefined {
  try {
    const event = JSON.parse(body) as Partial<PartnerEvent> | null;
    const isEvent = typeof event?.type === 'string' && typeof event.data === 'object' && event.data !== null;
    return isEvent ? (event as PartnerEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** What an event is about, without the parts that it lacks. */
export function partsOf({ data }: PartnerEvent): readonly (readonly [term: string, value: string])[] {
  const { user_id: user, issuer_code: issuer, step, status, reason_code: reason } = data;
  const parts = [
    ['User', user],
    ['Issuer', issuer],
    ['Step', step],
    ['Status', status],
    ['Reason', reason],
  ] as const;
  return parts.flatMap(([term, value]) => (value === null ? [] : [[term, value] as const]));
}

/** The answer of the backend to a try, for a chip. */
export function answerOf({ status, waited_ms: waited }: DeliveryTry): {
  readonly text: string;
  readonly kind: 'good' | 'warn' | 'bad';
} {
  if (status !== null) return { text: String(status), kind: status < 300 ? 'good' : 'bad' };
  if (waited === null) return { text: 'hangs', kind: 'warn' };
  return { text: `no answer in ${inSeconds(Math.round(waited / 1_000))}`, kind: 'bad' };
}

/** Tries in which all words of a search occur: in their headers, bodies or answers. */
export function matching(tries: readonly DeliveryTry[], search: string): readonly DeliveryTry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return tries.filter((one) => {
    const headers = Object.values(one.headers).join('\n');
    const signature = one.signature_problem === null ? 'verified' : `not verified ${one.signature_problem}`;
    const text = [one.body, headers, answerOf(one).text, signature].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Announcement of new tries for screen readers; empty without any. */
export function arrivalText(tries: readonly DeliveryTry[], newestBefore: string | undefined): string {
  const [newest] = tries;
  if (!newest || newest.id === newestBefore) return '';
  const known = tries.findIndex(({ id }) => id === newestBefore);
  const count = known < 0 ? tries.length : known;
  const type = eventIn(newest.body)?.type ?? 'unreadable';
  return count === 1 ? `New delivery: ${type}` : `${count} new deliveries, the latest: ${type}`;
}

/** Whether a delivery has failed, and is tried again later. */
export const isRetried = ({ state, failures }: EventDelivery): boolean => state === 'WAITING' && failures > 0;

/** How the delivery of an event stands, as the backend reads it. */
export function deliveryText({ failures, last_answer: answer, next_try_at: next }: EventDelivery): string {
  const failed = failures === 0 ? [] : [failures === 1 ? '1 failed try' : `${failures} failed tries`];
  const latest = answer === null ? [] : [`latest answer: ${/^\d/.test(answer) ? answer : spoken(answer)}`];
  const due = next !== null ? [`next try: ${readableTime(next)}`] : [];
  return [...failed, ...latest, ...due].join(', ');
}

/** Whether users-service has paused the deliveries: the latest answer was 410. */
export const isPaused = (tries: readonly DeliveryTry[]): boolean => tries[0]?.status === 410;
