import { createClient, newIdempotencyKey, type SessionEnd, waitForEkyc } from '@fd/client';

/** Issuers whose steps this page knows. */
const ISSUERS = [
  { slug: 'aravalli', code: 'ARAVFIN', name: 'Aravalli Finance' },
  { slug: 'kaveri', code: 'KAVSFB', name: 'Kaveri Small Finance Bank' },
] as const;

const chosen = new URLSearchParams(location.search).get('issuer');

/** The issuer of this page: of `?issuer=`, else the first one. A real application takes it from the chosen deposit. */
export const ISSUER = ISSUERS.find(({ slug }) => slug === chosen) ?? ISSUERS[0];

/** The registered URL of the page's partner. */
export const PARTNER_URL = 'https://app.partner.example';

/** Called at the end of the session; set by the page. */
export const session: { onEnd: (why: SessionEnd) => void } = { onEnd: () => undefined };

/** Names the session in its return address: each tab of this page gets the message of a tab that came back. */
let sessionName = newIdempotencyKey();

// the tokens are only in memory, so that they end with the page
export const { users, session: login } = createClient({
  usersUrl: (import.meta.env['VITE_USERS_URL'] as string | undefined) ?? 'http://localhost:3001',
  onSessionEnd: (why) => {
    sessionName = newIdempotencyKey();
    session.onEnd(why);
  },
});

const path = { issuer_slug: ISSUER.slug };

export const readJourney = async () =>
  (await users.get('/issuer-apis/{issuer_slug}/v1/journey', { path })).payload;

export type Journey = Awaited<ReturnType<typeof readJourney>>;

export const readBookingCheck = async () =>
  (await users.get('/issuer-apis/{issuer_slug}/v1/booking-check', { path })).payload;

export const readNotices = async () => (await users.get('/api/v1/consent-notices')).payload.notices;

/** Where the eKYC page leads back to, in its own tab. The service takes only https, which a developer's machine does not serve. */
export const returnTo = (): string | undefined =>
  location.protocol === 'https:' ? `${location.origin}/?back=ekyc&session=${sessionName}` : undefined;

/** What came back in a return address. */
export interface Returned {
  readonly ekycState: string | null;
  readonly session: string | null;
}

/** Between the tabs of this page. */
const ekycStates = new BroadcastChannel('ekyc');

/** Hands the state that came back with the browser over to the tab with the session. */
export const bringBack = (returned: Returned): void => ekycStates.postMessage(returned);

// also after that tab has seen the result: the state proves who completed the eKYC, and without it everything goes on
ekycStates.addEventListener('message', ({ data }: MessageEvent<Returned>) => {
  const { ekycState, session: name } = data;
  if (ekycState === null || name !== sessionName) return;
  const sent = async () => {
    if (await login.isLoggedIn()) await waitForEkyc(users, ISSUER.slug, { ekycState });
  };
  void sent().catch(() => undefined);
});
