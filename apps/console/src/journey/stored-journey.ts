import type { Store } from '../shell/store.js';
import type { JourneyState } from './journey-state.js';

const KEY = 'journey';
const STORE_AFTER_MS = 250;
/** Calls of the log that survive a reload; a tab can store a few megabytes. */
const KEPT = 60;
/** Longest stored answer. The API document, a megabyte, is loaded at each start. */
const MOST_CHARACTERS = 100_000;

/** One person and the journey so far, without its log. */
export type StoredPerson = Pick<
  JourneyState,
  'slug' | 'deposit' | 'person' | 'provoked' | 'token' | 'refreshToken' | 'facts' | 'journey' | 'booking'
>;

export type StoredJourney = StoredPerson & Pick<JourneyState, 'exchanges'>;

/** Returns the part of the state that is stored for a person. */
export function storedPerson(state: JourneyState): StoredPerson {
  const { slug, deposit, person, provoked, token, refreshToken, facts, journey, booking } = state;
  return { slug, deposit, person, provoked, token, refreshToken, facts, journey, booking };
}

/** Keeps person, session and log of a journey for this tab, until it is closed. */
export function keepStored(journey: Store<JourneyState>): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const store = (): void => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    storeJourney(journey.state);
  };
  // joins changes into one write: a whole journey is a megabyte
  journey.subscribe(() => (timer ??= setTimeout(store, STORE_AFTER_MS)));
  addEventListener('pagehide', store);
}

function storeJourney(state: JourneyState): void {
  if (!state.person) return;
  const exchanges = state.exchanges.slice(0, KEPT).filter(isSmall);
  const kept: StoredJourney = { ...storedPerson(state), exchanges };
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
