import { EKYC_OUTCOMES, LOCKER_OUTCOMES } from '../shell/sandbox-api.js';
import { focusPanel } from './focus-panel.js';
import type { JourneyState } from './journey-state.js';
import type { JourneyClient } from './journey-client.js';

interface DecideProps {
  readonly client: JourneyClient;
  readonly state: JourneyState;
  readonly what: 'ekyc' | 'locker';
}

/** Decides a hosted page: by a link to it, or by buttons. */
export function DecidePanel({ client, state, what }: DecideProps) {
  const { facts } = state;
  const url = what === 'ekyc' ? facts.ekyc?.url : facts.lockerUrl;
  const outcomes = what === 'ekyc' ? EKYC_OUTCOMES : LOCKER_OUTCOMES;
  return (
    <div class="decide">
      <p>
        {what === 'ekyc'
          ? 'The person is sent to the page of the eKYC provider. How does it end?'
          : 'The person is sent to the document locker. What do they do there?'}
      </p>
      <div class="actions">
        {Object.entries(outcomes).map(([outcome, label], index) => (
          <button
            key={outcome}
            type="button"
            class={index === 0 ? '' : 'quiet'}
            onClick={() => {
              focusPanel();
              void client.decide(what, outcome);
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <p class="hint">
        Or do it{' '}
        <a href={url} target="_blank" rel="noopener noreferrer">
          on the hosted page
        </a>
        , then{' '}
        <button
          type="button"
          class="link"
          onClick={() => {
            focusPanel();
            client.choose('EKYC', what === 'ekyc' ? 'EKYC' : 'locker-look');
          }}
        >
          check its status
        </button>
        .
      </p>
    </div>
  );
}
