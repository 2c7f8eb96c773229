import { type Exchange, payloadOf } from '../calls/exchange.js';
import type { Body } from '../forms/schema.js';
import type { MagicValue } from '../shell/sandbox-api.js';
import { type Facts, learn, refused } from './facts.js';
import type { BookingCheck, Call } from './journey.js';
import type { JourneyState } from './journey-state.js';
import { provokedAfterRefusal, valuesAfter } from './prefill.js';
import { type Recovery, recoveryOf } from './recovery.js';
import { isDecided } from './waiting-for.js';

/** Returns what a successful answer changes: facts, values of the person, booking check. */
export function afterSuccess(
  { person, provoked, facts }: JourneyState,
  call: Call,
  body: Body | undefined,
  exchange: Exchange,
  magicValues: readonly MagicValue[],
): Partial<JourneyState> {
  const payload = payloadOf(exchange);
  return {
    facts: learn(facts, call.key, payload),
    ...(person && valuesAfter({ person, provoked }, call, body, magicValues)),
    ...(call.key === 'booking' && { booking: payload as unknown as BookingCheck }),
  };
}

/** Returns what a refusal changes: it ends what was provoked, unless it is a wrong code, which can be corrected. */
export function afterRefusal(
  { facts, provoked }: JourneyState,
  call: Call,
  exchange: Exchange,
): Partial<JourneyState> {
  const remaining = provokedAfterRefusal(provoked, call);
  const recovery = recoveryOf(exchange);
  const isRestart = recovery.kind === 'restart';
  const isWrongCode = call.schema?.properties?.['otp'] !== undefined && !isRestart;
  const isOver = isDecided(exchange) || remaining !== provoked || call.key === 'check-etb';
  return {
    ...(isOver && { facts: afterEnd(refused(facts, call.key, isRestart ? recovery : undefined), recovery) }),
    ...(!isWrongCode && { provoked: remaining }),
  };
}

/** An eKYC that cannot complete the step, because its PAN stays with another person, is over. */
const afterEnd = (facts: Facts, { kind }: Recovery): Facts =>
  kind === 'open' ? { ...facts, ekyc: undefined } : facts;
