import { useEffect, useRef, useState } from 'preact/hooks';
import { type Exchange, refusalsOf } from '../calls/exchange.js';
import { JsonInput, SchemaForm } from '../forms/schema-form.js';
import { type Body, type Field, withValue } from '../forms/schema.js';
import { EKYC_OUTCOMES, LOCKER_OUTCOMES, type MagicValue } from '../shell/sandbox-api.js';
import type { Call } from './journey.js';
import { OutcomeNotice } from './outcome-notice.js';
import { provocationsOf, provokingValue } from './magic.js';
import { bookingCall, callsOf, STEP_TEXTS, stepTitle } from './plan.js';
import { codeAddress } from './prefill.js';
import { currentStep } from './step-list.js';
import type { Walker, WalkState } from './walker.js';

interface PanelProps {
  readonly walker: Walker;
  readonly state: WalkState;
  readonly magicValues: readonly MagicValue[];
}

/** The step that is looked at: its calls, the form of one of them, and what came of it. */
export function StepPanel({ walker, state, magicValues }: PanelProps) {
  const { next } = walker;
  const step = currentStep(state, walker);
  const panel = useFocusAfterAnswer(state);
  return (
    <section ref={panel} tabIndex={-1} class="panel step-panel" aria-label="The current step">
      {state.problem && <p class="notice bad">{state.problem}</p>}
      <OutcomeNotice walker={walker} state={state} />
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

/** Puts the focus on the panel once a call is answered: the button that sent it is gone or disabled by then. */
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

/** Names of the fields that an answer refuses. */
const refusedFields = (failure: Exchange | undefined): readonly string[] =>
  failure ? refusalsOf(failure).flatMap(({ field }) => (field === '' ? [] : [field])) : [];

function BookingPanel({ walker, state }: { readonly walker: Walker; readonly state: WalkState }) {
  const { booking } = state;
  const check = (): void => void walker.perform(bookingCall(walker.surroundings), undefined);
  if (booking?.is_bookable) {
    return (
      <div class="notice good ready">
        <h2>Ready to book</h2>
        <p>Nothing is in the way. Paying and booking are not part of this product.</p>
      </div>
    );
  }
  return (
    <>
      <h2>Booking check</h2>
      <p class="hint">All steps are done. Is anything in the way of a booking?</p>
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

function DecidePanel({
  walker,
  state,
  what,
}: Omit<PanelProps, 'magicValues'> & { readonly what: 'ekyc' | 'locker' }) {
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
            onClick={() => void walker.decide(what, outcome)}
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
          onClick={() => walker.choose('EKYC', what === 'ekyc' ? 'EKYC' : 'locker-look')}
        >
          check its status
        </button>
        .
      </p>
    </div>
  );
}

/** The call that is looked at: the chosen one, else the one that comes next. */
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

/** A body that is refilled when its sources change, and otherwise stays as typed. */
function useDraft(walker: Walker, call: Call): [Body | undefined, (body: Body | undefined) => void] {
  const [draft, setDraft] = useState(() => walker.bodyOf(call));
  const isThere = call.schema !== undefined && walker.state.person !== undefined;
  useEffect(() => setDraft(walker.bodyOf(call)), [isThere]);
  return [draft, setDraft];
}

const CallLine = ({ call }: { readonly call: Call }) => (
  <p class="call-line">
    <span class="chip method">{call.method}</span>
    <code>{call.path}</code>
  </p>
);

function CallForm({ walker, state, magicValues, call }: PanelProps & { readonly call: Call }) {
  const [draft, setDraft] = useDraft(walker, call);
  const [isJson, setIsJson] = useState(false);
  const isAsked = call.method === 'GET' || state.document !== undefined;
  const isIdle = !state.isBusy && !state.isWalking && isAsked;
  const fill = (): void => setDraft(walker.bodyOf(call));
  const sendIt = (event: Event): void => {
    event.preventDefault();
    void walker.perform(call, draft);
  };
  const extrasOf = (field: Field) => (
    <FieldExtras
      {...{ walker, state, magicValues, call, field, draft }}
      onValue={(value) => setDraft(withValue(draft ?? {}, field.path, value))}
    />
  );
  return (
    <form onSubmit={sendIt} aria-label={call.title} noValidate>
      <CallLine call={call} />
      {call.schema && draft && !isJson && (
        <SchemaForm
          schema={call.schema}
          body={draft}
          onChange={setDraft}
          extrasOf={extrasOf}
          refused={refusedFields(state.failure)}
        />
      )}
      {call.schema && isJson && (
        <JsonInput
          id="body"
          label="Body as JSON"
          rows={8}
          value={draft}
          onChange={(body) => setDraft(body as Body)}
        />
      )}
      {!call.schema && (
        <p class="hint">{isAsked ? 'This call takes no body.' : 'Asking what this call takes …'}</p>
      )}
      <div class="actions">
        <button type="submit" disabled={!isIdle || !state.person}>
          Send
        </button>
        {call.schema && (
          <button type="button" class="quiet" onClick={fill}>
            Refill
          </button>
        )}
        {call.schema && (
          <button type="button" class="quiet" aria-pressed={isJson} onClick={() => setIsJson(!isJson)}>
            {isJson ? 'As a form' : 'As JSON'}
          </button>
        )}
      </div>
    </form>
  );
}

interface ExtrasProps extends PanelProps {
  readonly call: Call;
  readonly field: Field;
  readonly draft: Body | undefined;
  readonly onValue: (value: string) => void;
}

/** Beside a field: its code out of the inbox, and the failures that it can provoke. */
function FieldExtras({ walker, state, magicValues, call, field, draft, onValue }: ExtrasProps) {
  if (call.step === 'NOMINEE' || !state.person) return null;
  const person = state.person;
  const provocations = provocationsOf(field.name, magicValues);
  if (field.name === 'otp') {
    const address = codeAddress(call, draft, person);
    return address === undefined ? null : <CodeButton walker={walker} address={address} onCode={onValue} />;
  }
  if (provocations.length === 0) return null;
  const id = `provoke-${field.name}`;
  return (
    <div class="provoke">
      <label for={id}>Provoke</label>
      <select
        id={id}
        onChange={({ currentTarget }) => {
          const row = provocations.find(({ value }) => value === currentTarget.value);
          const own = walker.bodyOf(call)?.[field.name];
          onValue(row ? provokingValue(row, person) : typeof own === 'string' ? own : '');
        }}
      >
        <option value="">nothing: it succeeds</option>
        {provocations.map(({ value, effect }) => (
          <option key={value} value={value}>
            {value}: {effect}
          </option>
        ))}
      </select>
    </div>
  );
}

function CodeButton(props: {
  readonly walker: Walker;
  readonly address: string;
  readonly onCode: (code: string) => void;
}) {
  const [isLooking, setIsLooking] = useState(false);
  const [isMissing, setIsMissing] = useState(false);
  const look = async (): Promise<void> => {
    setIsLooking(true);
    const code = await props.walker.codeFor(props.address);
    setIsLooking(false);
    setIsMissing(code === undefined);
    if (code !== undefined) props.onCode(code);
  };
  return (
    <div class="provoke">
      <button type="button" class="quiet small" disabled={isLooking} onClick={() => void look()}>
        {isLooking ? 'Looking …' : 'Take it from the inbox'}
      </button>
      {isMissing && <span class="field-problem">No code has reached {props.address}.</span>}
    </div>
  );
}
