import { readableAddress, spoken } from '../shell/words.js';
import { stateOf } from './people.js';
import type { Walker, WalkState } from './walker.js';

/** The test people of this tab with their progress, and a button to continue with each. */
export function PeopleList({ walker, state }: { readonly walker: Walker; readonly state: WalkState }) {
  const others = state.people.filter(({ person }) => person?.phone !== state.person?.phone);
  if (others.length === 0) return null;
  return (
    <details class="further people">
      <summary>Other test people ({others.length})</summary>
      <ul aria-label="Other test people">
        {others.map((one) => {
          const phone = readableAddress(one.person?.phone ?? '');
          return (
            <li key={phone}>
              <span>
                {phone}, {spoken(one.slug)}: {stateOf(one)}
              </span>
              <button
                type="button"
                class="quiet small"
                disabled={state.isBusy || state.isWalking}
                aria-label={`Go on with ${phone}`}
                onClick={() => void walker.switchTo(one)}
              >
                Go on
              </button>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
