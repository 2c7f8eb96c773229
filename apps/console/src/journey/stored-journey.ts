import type { JourneyState } from './journey-client.js';

const KEY = 'journey';
/** Calls of the log that survive a reload; a tab can store a few megabytes. */
const KEPT = 60;
/** Not stored: the API document is a megabyte, and is loaded at each start. */
const MOST_CHARACTERS = 100_000;

export type StoredJourney = Pick<
  JourneyState,
  'slug' | 'deposit' | 'person' | 'token' | 'refreshToken' | 'facts' | 'journey' | 'booking' | 'exchanges'
>;

/** Keeps person, session and log for this tab, until it is closed. */
export function storeJourney(state: JourneyState): void {
  const { slug, deposit, person, token, refreshToken, facts, journey, booking } = state;
  if (!person) return;
  const exchanges = state.exchanges.slice(0, KEPT).filter(isSmall);
  const kept: StoredJourney = {
    slug,
    deposit,
    person,
    token,
    refreshToken,
    facts,
    journey,
    booking,
    exchanges,
  };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // storage is full or disabled: a reload starts a new journey
  }
}

const isSmall = ({ answer }: JourneyState['exchanges'][number]): boolean =>
  Number(answer?.headers['content-length'] ?? 0) < MOST_CHARACTERS &&
  !(answer?.body as { openapi?: string } | null | undefined)?.openapi;

export function storedJourney(): StoredJourney | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as StoredJourney | null) ?? undefined;
  } catch {
    return undefined;
  }
}
