import { readableAddress, spoken } from '../shell/words.js';
import { stateOf } from './people.js';
import { inUse } from './prefill.js';
import type { JourneyState } from './journey-state.js';
import type { JourneyClient } from './journey-client.js';

/** The test people of this tab with their progress, and a button to continue with each. */
export function PeopleList({
  client,
  state,
}: {
  readonly client: JourneyClient;
  readonly state: JourneyState;
}) {
  const others = state.people.filter(({ person }) => person?.phone !== state.person?.phone);
  if (others.length === 0) return null;
  return (
    <details class="further people">
      <summary>Other test people ({others.length})</summary>
      <ul aria-label="Other test people">
        {others.map((one) => {
          const phone = one.person
            ? readableAddress(inUse({ person: one.person, provoked: one.provoked }).phone)
            : '';
          return (
            <li key={phone}>
              <span>
                {phone}, {spoken(one.slug)}: {stateOf(one)}
              </span>
              <button
                type="button"
                class="quiet small"
                disabled={state.isBusy || state.isRunning}
                aria-label={`Continue with ${phone}`}
                onClick={() => void client.switchTo(one)}
              >
                Continue
              </button>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
