import { createClient, type SessionEnd } from '@fd/client';

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

// the tokens are only in memory, so that they end with the page
export const { users, session: login } = createClient({
  usersUrl: (import.meta.env['VITE_USERS_URL'] as string | undefined) ?? 'http://localhost:3001',
  onSessionEnd: (why) => session.onEnd(why),
});

const path = { issuer_slug: ISSUER.slug };

export const readJourney = async () =>
  (await users.get('/issuer-apis/{issuer_slug}/v1/journey', { path })).payload;

export type Journey = Awaited<ReturnType<typeof readJourney>>;

export const readBookingCheck = async () =>
  (await users.get('/issuer-apis/{issuer_slug}/v1/booking-check', { path })).payload;
