import { readableAddress, spoken } from '../shell/words.js';
import { stateOf } from './people.js';
import { inUse } from './prefill.js';
import type { JourneyState } from './journey-state.js';
import type { JourneyClient } from './journey-client.js';

/** The other test people of this tab with their progress at each issuer, and a button to continue each journey. */
export function PeopleList(props: {
  readonly client: JourneyClient;
  readonly state: JourneyState;
  /** Called with a click, whose button then disappears. */
  readonly onContinue: () => void;
}) {
  const { client, state, onContinue } = props;
  const others = state.people.filter(({ person }) => person?.phone !== state.person?.phone);
  if (others.length === 0) return null;
  return (
    <details class="further people">
      <summary>Other test people ({new Set(others.map(({ person }) => person?.phone)).size})</summary>
      <ul aria-label="Other test people">
        {others.map((one) => {
          const phone = one.person
            ? readableAddress(inUse({ person: one.person, provoked: one.provoked }).phone)
            : '';
          return (
            <li key={`${phone} ${one.slug}`}>
              <span>
                {phone}, {spoken(one.slug)}: {stateOf(one)}
              </span>
              <button
                type="button"
                class="quiet small"
                disabled={state.isBusy || state.isRunning}
                aria-label={`Continue with ${phone}, ${spoken(one.slug)}`}
                onClick={() => {
                  onContinue();
                  void client.switchTo(one);
                }}
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
