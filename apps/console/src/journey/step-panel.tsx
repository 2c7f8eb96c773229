import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isGood } from '../calls/exchange.js';
import type { MagicValue } from '../shell/sandbox-api.js';
import type { BookingCheck, BookingFinding, Call } from './journey.js';
import { AnswerPanel } from './answer-panel.js';
import { CallForm } from './call-form.js';
import { DecidePanel } from './decide-panel.js';
import { emptyCodeField, focusPanel } from './focus-panel.js';
import { bookingCall, callsOf, stepTitle, whatOf } from './plan.js';
import { DepositSummary } from './summary.js';
import { isSendOfCode } from './recovery.js';
import { currentStep } from './step-list.js';
import { WaitingLine } from './waiting-line.js';
import type { JourneyState } from './journey-state.js';
import type { JourneyClient } from './journey-client.js';

interface PanelProps {
  readonly client: JourneyClient;
  readonly state: JourneyState;
  readonly magicValues: readonly MagicValue[];
}

/**
 * The shown step: its calls, the form of one, and its outcome.
 * @param props.opened how often the user has opened a step
 */
export function StepPanel({ client, state, magicValues, opened }: PanelProps & { readonly opened: number }) {
  const { next } = client;
  const step = currentStep(state, client);
  const panel = useRef<HTMLElement>(null);
  useRevealedAnswer(panel, state);
  useRevealedForm(panel, opened);
  return (
    <section ref={panel} tabIndex={-1} class="panel step-panel" aria-label="The current step">
      {state.problem && <p class="notice bad">{state.problem}</p>}
      <AnswerPanel client={client} state={state} />
      <WaitingLine client={client} state={state} />
      {step === undefined ? (
        <BookingPanel client={client} state={state} />
      ) : (
        <>
          <h2>{stepTitle(step)}</h2>
          <p class="hint">{whatOf(step, state.chosen?.key ?? (next.kind === 'call' ? next.key : step))}</p>
          {next.kind === 'decide' && !state.chosen ? (
            <DecidePanel client={client} state={state} what={next.what} />
          ) : (
            <CallPanel client={client} state={state} magicValues={magicValues} step={step} />
          )}
        </>
      )}
    </section>
  );
}

/**
 * Scrolls to the answer, and focuses the panel, because the button that sent the call is gone or disabled by then: after the send
 * of a code its empty field instead.
 */
function useRevealedAnswer(panel: RefObject<HTMLElement | null>, state: JourneyState): void {
  const { failure, outcome, problem, isRunning } = state;
  // a refusal is shown before it becomes the outcome: later the user may be at the refused field already
  const answer = failure ?? outcome;
  const seen = useRef({ answer, problem });
  useEffect(() => {
    // an automatic run is shown once it ends
    if (isRunning || (answer === seen.current.answer && problem === seen.current.problem)) return;
    seen.current = { answer, problem };
    if (!answer && !problem) return;
    const isCodeSent = answer !== undefined && isGood(answer) && isSendOfCode(answer);
    ((isCodeSent && emptyCodeField()) || panel.current)?.focus({ preventScroll: true });
    reveal(panel.current?.querySelector('.notice, .waiting-line') ?? panel.current);
  }, [answer, problem, isRunning]);
}

/** Focuses the panel and scrolls to its form when the user opens a step: on a phone the list is above the panel. */
function useRevealedForm(panel: RefObject<HTMLElement | null>, opened: number): void {
  useEffect(() => {
    if (opened === 0) return;
    panel.current?.focus({ preventScroll: true });
    reveal(panel.current);
  }, [opened]);
}

/** Scrolls an element to the top of the window, unless its start is visible with space for a form below it. */
function reveal(element: Element | null): void {
  const top = element?.getBoundingClientRect().top ?? 0;
  if (top < 0 || top > innerHeight / 3) element?.scrollIntoView({ block: 'start' });
}

function BookingPanel({ client, state }: { readonly client: JourneyClient; readonly state: JourneyState }) {
  const { booking } = state;
  const check = (): void => void client.perform(bookingCall(client.surroundings), undefined);
  if (booking?.is_bookable) {
    return (
      <div class="notice good ready">
        <h2>Ready to book</h2>
        <p>There are no blockers. Payment and booking are not part of this product.</p>
        <WarningList client={client} booking={booking} />
        <DepositSummary client={client} state={state} />
      </div>
    );
  }
  return (
    <div class="booking">
      <h2>Booking check</h2>
      <p class="hint">
        {booking
          ? 'This stands in the way:'
          : 'All steps are completed. The booking check shows blockers, if any.'}
      </p>
      <FindingList client={client} findings={booking?.blockers ?? []} />
      {booking && <WarningList client={client} booking={booking} />}
      <button type="button" class={booking ? 'quiet' : ''} disabled={state.isBusy} onClick={check}>
        {booking ? 'Check again' : 'Check'}
      </button>
    </div>
  );
}

/** Findings of a booking check, each with its way out and the step that resolves it. */
const FindingList = ({ client, findings }: Findings) => (
  <ul class="blockers">
    {findings.map(({ code, message, step, way_out: wayOut }) => (
      <li key={code + step}>
        <a href={`/guide/errors/${code}`} target="_blank" rel="noopener noreferrer">
          <code>{code}</code>
        </a>{' '}
        {message} {wayOut}{' '}
        <button
          type="button"
          class="small"
          onClick={() => {
            focusPanel();
            client.choose(step, step);
          }}
        >
          {stepTitle(step)}
        </button>
      </li>
    ))}
  </ul>
);

interface Findings {
  readonly client: JourneyClient;
  readonly findings: readonly BookingFinding[];
}

const WarningList = ({
  client,
  booking: { warnings },
}: Omit<Findings, 'findings'> & { booking: BookingCheck }) =>
  warnings.length === 0 ? null : (
    <>
      <p class="hint">This blocks nothing, but the person should know it:</p>
      <FindingList client={client} findings={warnings} />
    </>
  );

/** The selected call, else the next one. */
function currentCall(calls: readonly Call[], { chosen }: JourneyState, client: JourneyClient): Call {
  const { next } = client;
  const key = chosen?.key ?? (next.kind === 'call' ? next.key : '');
  return calls.find((call) => call.key === key) ?? calls[0]!;
}

function CallPanel({ client, state, magicValues, step }: PanelProps & { readonly step: string }) {
  const calls = callsOf(step, state.journey, client.surroundings);
  const call = currentCall(calls, state, client);
  return (
    <>
      {calls.length > 1 && (
        <div class="tabs" role="group" aria-label="Calls of this step">
          {calls.map(({ key, title }) => (
            <button
              key={key}
              type="button"
              class="tab"
              aria-pressed={key === call.key}
              onClick={() => client.choose(step, key)}
            >
              {title}
            </button>
          ))}
        </div>
      )}
      <CallForm
        key={`${call.key} ${call.path} ${state.person?.phone}`}
        client={client}
        state={state}
        magicValues={magicValues}
        call={call}
      />
    </>
  );
}
