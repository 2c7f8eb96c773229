import { LoginErrors } from '@fd/errors';
import type { FinalState, Operation, PanClaim, Refresh, Register, Timed, Verify } from './history.js';

/** A call without an answer may still take effect for this long. */
const LATE_MS = 5_000;

/** From here on, a send may have been accepted as open: its message is under way, or lost with its replica. */
const OPEN_SEND_MS = 900;

/** A refresh token without an answer is retried for this long: the service repeats its answer for 30 s. */
const REPEATED_MS = 25_000;

const MAX_SENDS = 5;
const MAX_TRIES = 5;
const MAX_WRONG = 15;

/**
 * Describes the violations in a history; empty if all guarantees hold. Reports only certain violations: a call without
 * an answer may or may not take effect, up to `LATE_MS` after its end.
 */
export function violationsIn(history: readonly Operation[], state: FinalState): string[] {
  const of = <Kind extends Operation['kind']>(kind: Kind) =>
    history.filter((operation) => operation.kind === kind) as Extract<Operation, { kind: Kind }>[];
  const [registers, verifies] = [of('register'), of('verify')];
  return [
    ...codesUsedTwice(verifies),
    ...phonesOfTwoUsers(verifies),
    ...messagesMiscounted(registers, state),
    ...capsExceeded(registers, verifies),
    ...goodCodesRefused(registers, verifies),
    ...pansOfTwoOwners(of('pan')),
    ...forkedRefreshes(of('refresh')),
    ...refusedRefreshes(of('refresh')),
    ...state.openTokens
      .filter(({ count }) => count !== 1)
      .map(({ session, count }) => `session ${session} has ${count} tokens that can be exchanged`),
  ];
}

const isOk = ({ outcome }: Timed): boolean => outcome === 'ok';
const isOpen = ({ outcome }: Timed): boolean => outcome !== 'fail';

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** Returns the keys of groups in which the value differs. */
function differing<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  valueOf: (item: T) => string | undefined,
): string[] {
  return [...groupBy(items, keyOf)]
    .filter(([, group]) => new Set(group.map(valueOf)).size > 1)
    .map(([key]) => key);
}

/** A code of a phone logs in once. A new code has the same digits once in a million. */
function codesUsedTwice(verifies: readonly Verify[]): string[] {
  return [...groupBy(verifies.filter(isOk), ({ phone, otp }) => `${phone} ${otp}`)]
    .filter(([, logins]) => logins.length > 1)
    .map(([code, logins]) => `code ${code} has logged in ${logins.length} times`);
}

const phonesOfTwoUsers = (verifies: readonly Verify[]): string[] =>
  differing(
    verifies.filter(isOk),
    ({ phone }) => phone,
    ({ userId }) => userId,
  ).map((phone) => `phone ${phone} has logged in as more than one user`);

/** Each acknowledged send is one message; further messages come only from sends without an answer. */
function messagesMiscounted(registers: readonly Register[], { messages }: FinalState): string[] {
  return [...groupBy(registers, ({ phone }) => phone)].flatMap(([phone, sends]) => {
    const most = sends.filter(isOpen).length;
    const least = sends.filter((send) => isOk(send) && send.endedAt - send.invokedAt < OPEN_SEND_MS).length;
    const count = messages.get(phone) ?? 0;
    if (count >= least && count <= most) return [];
    return [`phone ${phone} was sent ${count} messages, not ${least} to ${most}`];
  });
}

function capsExceeded(registers: readonly Register[], verifies: readonly Verify[]): string[] {
  const wrongOnes = groupBy(
    verifies.filter(({ code }) => code === LoginErrors.otpWrong.code),
    ({ phone }) => phone,
  );
  const sends = groupBy(registers.filter(isOpen), ({ phone }) => phone);
  // a login resets all counts; a login without an answer may have done so
  const logins = groupBy(verifies.filter(isOpen), ({ phone }) => phone);
  return [...new Set([...sends.keys(), ...wrongOnes.keys()])].flatMap((phone) => {
    const [mine, wrong, resets] = [sends, wrongOnes, logins].map((group) => group.get(phone) ?? []);
    const caps = [
      ['sends without a login', mostBetween(resets!, mine!.filter(isOk)), MAX_SENDS],
      ['wrong codes without a login', mostBetween(resets!, wrong!), MAX_WRONG],
      ['wrong codes for one code', mostBetween([...resets!, ...mine!], wrong!), MAX_TRIES],
    ] as const;
    return caps
      .filter(([, count, cap]) => count > cap)
      .map(([what, count, cap]) => `phone ${phone}: ${count} ${what}, more than ${cap}`);
  });
}

/**
 * Returns the largest number of events wholly between two neighbouring boundaries, before the first, or after the last.
 */
export function mostBetween(boundaries: readonly Timed[], events: readonly Timed[]): number {
  const ends = [...boundaries].sort((a, b) => a.invokedAt - b.invokedAt);
  let most = 0;
  let from = -Infinity;
  for (const until of [...ends.map(({ invokedAt }) => invokedAt), Infinity]) {
    const within = events.filter((event) => event.invokedAt >= from && event.endedAt <= until);
    most = Math.max(most, within.length);
    const passed = ends.filter(({ invokedAt }) => invokedAt <= until);
    from = Math.max(from, ...passed.map(lastMoment));
  }
  return most;
}

/** Until when a call may still take effect. */
const lastMoment = ({ endedAt, outcome }: Timed): number =>
  outcome === 'unknown' ? endedAt + LATE_MS : endedAt;

/** The newest code must not be refused as expired while no other call for the phone is running. */
function goodCodesRefused(registers: readonly Register[], verifies: readonly Verify[]): string[] {
  const all = groupBy<Register | Verify>([...registers, ...verifies], ({ phone }) => phone);
  return verifies
    .filter(({ code }) => code === LoginErrors.otpExpired.code)
    .flatMap((refused) => {
      const others = all.get(refused.phone)!.filter((operation) => operation !== refused);
      const sent = others
        .filter((operation) => operation.kind === 'register' && isOk(operation))
        .findLast(({ endedAt }) => endedAt <= refused.invokedAt);
      const isDisturbed = others.some(
        (other) =>
          other !== sent &&
          other.invokedAt < refused.endedAt &&
          lastMoment(other) > (sent?.invokedAt ?? -Infinity),
      );
      if (!sent || isDisturbed) return [];
      return [`phone ${refused.phone} was refused the code that it had just been sent`];
    });
}

function pansOfTwoOwners(claims: readonly PanClaim[]): string[] {
  const accepted = claims.filter(isOk);
  return [
    ...differing(
      accepted,
      ({ pan }) => pan,
      ({ userId }) => userId,
    ).map((pan) => `PAN ${pan} has more than one owner`),
    ...differing(
      accepted,
      ({ userId }) => userId,
      ({ pan }) => pan,
    ).map((userId) => `user ${userId} has more than one PAN`),
  ];
}

/** A token has one successor and one predecessor: the tokens of a session form a path. */
function forkedRefreshes(refreshes: readonly Refresh[]): string[] {
  const answered = refreshes.filter(isOk);
  return [
    ...differing(
      answered,
      ({ presented }) => presented,
      ({ successor }) => successor,
    ).map((token) => `token ${token} has more than one successor`),
    ...differing(
      answered,
      ({ successor }) => successor!,
      ({ presented }) => presented,
    ).map((token) => `token ${token} has more than one predecessor`),
  ];
}

/** The newest token of a client can be exchanged, with retries: a lost answer must not log the user out. */
function refusedRefreshes(refreshes: readonly Refresh[]): string[] {
  return [...groupBy(refreshes, ({ presented }) => presented)].flatMap(([token, tries]) => {
    const first = Math.min(...tries.map(({ invokedAt }) => invokedAt));
    return tries
      .filter(({ outcome, invokedAt }) => outcome === 'fail' && invokedAt - first < REPEATED_MS)
      .map(({ code }) => `token ${token} was refused with ${code}`);
  });
}
