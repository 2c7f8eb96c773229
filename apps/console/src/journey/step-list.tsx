import { spoken } from '../shell/words.js';
import type { JourneyStep } from './journey.js';
import { stepOf, stepTitle } from './plan.js';
import type { JourneyState } from './journey-state.js';
import type { JourneyClient } from './journey-client.js';

type Status = JourneyStep['status'];

const STATUS_MARKS: Readonly<Record<Status, string>> = {
  LOCKED: '',
  DUE: '',
  IN_PROGRESS: '…',
  DONE: '✓',
  SKIPPED: '–',
  FAILED: '!',
};

interface ListedStep {
  readonly step: string;
  readonly status: Status;
  readonly reason: string | null;
}

/** There is no journey before the login. */
const LOGIN_ONLY: readonly ListedStep[] = [{ step: 'LOGIN', status: 'DUE', reason: null }];

/** The shown step: the chosen one, else the next one. */
export function currentStep({ chosen }: JourneyState, client: JourneyClient): string | undefined {
  if (chosen) return chosen.step;
  return stepOf(client.next);
}

/** The steps of the issuer's journey, as the API returns them. */
export function StepList(props: {
  readonly client: JourneyClient;
  readonly state: JourneyState;
  readonly onOpen: () => void;
}) {
  const { client, state, onOpen } = props;
  const { journey } = state;
  const current = currentStep(state, client);
  const percent = journey?.percent_complete ?? 0;
  const open = (step: string): void => {
    client.choose(step, step);
    onOpen();
  };
  return (
    <nav class="panel steps-panel" aria-label="Steps of the journey">
      <div class="progress">
        <progress max={100} value={percent} aria-label="Progress of the journey" />
        <span>{percent} %</span>
      </div>
      <ol class="steps">
        {(journey?.steps ?? LOGIN_ONLY).map((step) => (
          <StepItem
            key={step.step}
            {...step}
            isCurrent={step.step === current}
            onOpen={() => open(step.step)}
          />
        ))}
      </ol>
      {!journey && <p class="hint">Log in to see the other steps.</p>}
    </nav>
  );
}

function StepItem(props: ListedStep & { readonly isCurrent: boolean; readonly onOpen: () => void }) {
  const { step, status, reason, isCurrent, onOpen } = props;
  return (
    <li>
      <button
        type="button"
        class={`step is-${status.toLowerCase()}`}
        aria-current={isCurrent ? 'step' : undefined}
        onClick={onOpen}
      >
        <span class="step-mark" aria-hidden="true">
          {STATUS_MARKS[status]}
        </span>
        <span class="step-title">{stepTitle(step)}</span>
        <span class="step-status">{reason ?? spoken(status)}</span>
      </button>
    </li>
  );
}
