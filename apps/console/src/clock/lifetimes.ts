import { type Exchange, isGood, payloadOf } from '../calls/exchange.js';
import type { JourneyState } from '../journey/journey-state.js';

/** Something of the journey that expires. */
export interface Lifetime {
  readonly what: string;
  /** By the clock of the service, in milliseconds since 1970. */
  readonly until: number;
  /** Instruction for the user once it has expired. */
  readonly then: string;
}

type Shown = Pick<JourneyState, 'exchanges' | 'person' | 'token' | 'facts' | 'slug'>;

interface Kind extends Pick<Lifetime, 'what' | 'then'> {
  /** The call that creates it. */
  readonly made: RegExp;
  /** Field of that call's payload with the expiry. */
  readonly field: string;
  /** The call that consumes it. */
  readonly used?: RegExp;
  readonly isOfEkyc?: boolean;
}

const CODE = 'send a new code';
const LOG_IN = 'log in again';

const KINDS: readonly Kind[] = [
  {
    ...{ what: 'Login code', then: CODE, field: 'otpExpiresAt' },
    ...{ made: /^POST \/auth\/register$/, used: /^POST \/auth\/api\/v2\/register\/verify$/ },
  },
  {
    ...{ what: 'Email code', then: CODE, field: 'endTime' },
    ...{ made: /^POST \/api\/v1\/email\/send-otp$/, used: /^POST \/api\/v1\/email\/verify-otp$/ },
  },
  {
    ...{ what: 'eKYC link', then: 'ask for a new link', field: 'ekyc_expires_at' },
    ...{ made: /^POST .*\/check-status$/, isOfEkyc: true },
  },
  {
    ...{ what: 'Aadhaar code', then: CODE, field: 'otpExpiresAt', isOfEkyc: true },
    ...{ made: /^POST .*\/aadhaar-ekyc\/send-otp$/, used: /^POST .*\/aadhaar-ekyc\/verify-otp$/ },
  },
  {
    ...{ what: 'Locker session', then: 'open a new session', field: 'expires_at' },
    ...{ made: /^POST .*\/document-locker\/session$/, isOfEkyc: true },
  },
];

/**
 * Returns everything of this person and issuer that expires, in journey order; expired entries stay until they are replaced.
 * @param now by the clock of the service, in milliseconds since 1970
 */
export function lifetimesOf(shown: Shown, now: number): readonly Lifetime[] {
  const own = shown.exchanges.filter((exchange) => isGood(exchange) && isOwn(exchange, shown));
  const isEkycOpen = shown.facts.ekyc !== undefined && shown.facts.ekyc.stage !== 'decided';
  const made = KINDS.filter(({ isOfEkyc }) => !isOfEkyc || isEkycOpen).flatMap((kind) => {
    const newest = own.find((exchange) =>
      [kind.made, kind.used].some((call) => call?.test(nameOf(exchange))),
    );
    if (!newest || kind.used?.test(nameOf(newest))) return [];
    return lifetime(kind, Date.parse(String(payloadOf(newest)[kind.field])));
  });
  return [...made, ...tokensOf(shown, now)];
}

/** The access token and its session. */
function tokensOf({ token, exchanges }: Shown, now: number): readonly Lifetime[] {
  const { exp, iat } = claimsOf(token);
  const issued = exchanges.map(payloadOf).find(({ access_token: known }) => known === token && token !== '');
  const sessionEnd = (Number(iat) + Number(issued?.['refresh_expires_in'])) * 1_000;
  const then = sessionEnd <= now ? LOG_IN : 'the next call renews it';
  return [
    ...lifetime({ what: 'Access token', then }, Number(exp) * 1_000),
    ...lifetime({ what: 'Session', then: LOG_IN }, sessionEnd),
  ];
}

const lifetime = ({ what, then }: Pick<Lifetime, 'what' | 'then'>, until: number): readonly Lifetime[] =>
  Number.isFinite(until) ? [{ what, until, then }] : [];

const nameOf = ({ request }: Exchange): string => `${request.method} ${new URL(request.url).pathname}`;

/** Whether a call belongs to this person, by phone or token, and to this issuer if its path names an issuer. */
function isOwn({ request }: Exchange, { person, token, slug }: Shown): boolean {
  const issuer = /\/issuer-apis\/([^/]+)\//.exec(request.url)?.[1];
  if (issuer !== undefined && issuer !== slug) return false;
  const bearer = request.headers['authorization']?.replace('Bearer ', '');
  if (bearer !== undefined) return claimsOf(bearer).sub === claimsOf(token).sub;
  return (request.body as { phone?: unknown } | undefined)?.phone === person?.phone;
}

/** Claims of a JWT, unverified; none for any other text. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const part = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    return JSON.parse(atob(part)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const UNITS = [
  ['day', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A duration in its largest units, at most COUNT of them: `6 days 23 h`, `9 min 58 s`, `12 s`. */
export function inUnits(ms: number, count = 2): string {
  let rest = Math.round(ms / 1_000);
  const parts = UNITS.map(([unit, seconds]) => {
    const number = Math.floor(rest / seconds);
    rest %= seconds;
    return { number, text: `${number} ${unit}${unit === 'day' && number !== 1 ? 's' : ''}` };
  });
  const first = parts.findIndex(({ number }) => number > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + count)
    .filter(({ number }) => number > 0)
    .map(({ text }) => text)
    .join(' ');
}
