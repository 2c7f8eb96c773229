import { useEffect, useRef } from 'preact/hooks';
import type { MagicValue } from '../shell/sandbox-api.js';
import type { Call } from './journey.js';
import { AnswerPanel } from './answer-panel.js';
import { CallForm } from './call-form.js';
import { DecidePanel } from './decide-panel.js';
import { bookingCall, callsOf, STEP_TEXTS, stepTitle } from './plan.js';
import { DepositSummary } from './summary.js';
import { currentStep } from './step-list.js';
import { WaitingLine } from './waiting-line.js';
import type { Walker, WalkState } from './walker.js';

interface PanelProps {
  readonly walker: Walker;
  readonly state: WalkState;
  readonly magicValues: readonly MagicValue[];
}

/** The shown step: its calls, the form of one, and its outcome. */
export function StepPanel({ walker, state, magicValues }: PanelProps) {
  const { next } = walker;
  const step = currentStep(state, walker);
  const panel = useFocusAfterAnswer(state);
  return (
    <section ref={panel} tabIndex={-1} class="panel step-panel" aria-label="The current step">
      {state.problem && <p class="notice bad">{state.problem}</p>}
      <AnswerPanel walker={walker} state={state} />
      <WaitingLine walker={walker} state={state} />
      {step === undefined ? (
        <BookingPanel walker={walker} state={state} />
      ) : (
        <>
          <h2>{stepTitle(step)}</h2>
          <p class="hint">{STEP_TEXTS[step]?.what}</p>
          {next.kind === 'decide' && !state.chosen ? (
            <DecidePanel walker={walker} state={state} what={next.what} />
          ) : (
            <CallPanel walker={walker} state={state} magicValues={magicValues} step={step} />
          )}
        </>
      )}
    </section>
  );
}

/** Focuses the panel after an answer: the button that sent the call is gone or disabled by then. */
function useFocusAfterAnswer({ outcome, isWalking }: WalkState) {
  const panel = useRef<HTMLElement>(null);
  const seen = useRef(outcome);
  useEffect(() => {
    if (outcome === seen.current) return;
    seen.current = outcome;
    if (!outcome || isWalking) return;
    panel.current?.focus();
    panel.current?.querySelector('.notice')?.scrollIntoView({ block: 'nearest' });
  }, [outcome, isWalking]);
  return panel;
}

function BookingPanel({ walker, state }: { readonly walker: Walker; readonly state: WalkState }) {
  const { booking } = state;
  const check = (): void => void walker.perform(bookingCall(walker.surroundings), undefined);
  if (booking?.is_bookable) {
    return (
      <div class="notice good ready">
        <h2>Ready to book</h2>
        <p>There are no blockers. Payment and booking are not part of this product.</p>
        <DepositSummary walker={walker} state={state} />
      </div>
    );
  }
  return (
    <>
      <h2>Booking check</h2>
      <p class="hint">All steps are completed. The booking check shows blockers, if any.</p>
      <ul class="blockers">
        {booking?.blockers.map(({ code, message, step }) => (
          <li key={code + step}>
            <code>{code}</code> {message} ({stepTitle(step)})
          </li>
        ))}
      </ul>
      <button type="button" disabled={state.isBusy} onClick={check}>
        Check
      </button>
    </>
  );
}

/** The selected call, else the next one. */
function currentCall(calls: readonly Call[], { chosen }: WalkState, walker: Walker): Call {
  const { next } = walker;
  const key = chosen?.key ?? (next.kind === 'call' ? next.key : '');
  return calls.find((call) => call.key === key) ?? calls[0]!;
}

function CallPanel({ walker, state, magicValues, step }: PanelProps & { readonly step: string }) {
  const calls = callsOf(step, state.journey, walker.surroundings);
  const call = currentCall(calls, state, walker);
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
              onClick={() => walker.choose(step, key)}
            >
              {title}
            </button>
          ))}
        </div>
      )}
      <CallForm
        key={`${call.key} ${call.path} ${state.person?.phone}`}
        walker={walker}
        state={state}
        magicValues={magicValues}
        call={call}
      />
    </>
  );
}
