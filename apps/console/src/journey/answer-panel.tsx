import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Exchange, isGood, refusalsOf } from '../calls/exchange.js';
import { StatusChip } from '../calls/exchange-card.js';
import { learnedFrom, messageOf } from './answer-words.js';
import { PlainButton } from './plain-button.js';
import { emptyCodeField, focusPanel } from './focus-panel.js';
import { inSeconds } from '../shell/words.js';
import { textOf } from './plan.js';
import { ekycFailureOf, isOpenEkyc, type Recovery, recoveryOf, secondsToWait } from './recovery.js';
import type { JourneyState } from './journey-state.js';
import type { JourneyClient } from './journey-client.js';

interface AnswerProps {
  readonly client: JourneyClient;
  readonly state: JourneyState;
}

/** Shows after an answer what happened, why, and the next action with one button. */
export function AnswerPanel({ client, state }: AnswerProps) {
  const { failure, outcome, isRunning } = state;
  if (failure) return <Refused client={client} exchange={failure} />;
  if (!outcome || isRunning || !isGood(outcome)) return null;
  const ekyc = ekycFailureOf(outcome);
  if (ekyc) return <EkycFailed exchange={outcome} status={ekyc} />;
  return <Accepted client={client} exchange={outcome} />;
}

function Panel(props: {
  readonly kind: 'good' | 'bad' | '';
  readonly exchange: Exchange;
  readonly what: string;
  readonly why: ComponentChildren;
  readonly next: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const { kind, exchange, what, why, next, children } = props;
  return (
    <div class={`notice answer ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
      <p class="notice-title">
        <StatusChip exchange={exchange} /> {what}
      </p>
      <dl>
        <div>
          <dt>Why</dt>
          <dd>{why}</dd>
        </div>
        <div>
          <dt>Next</dt>
          <dd>{next}</dd>
        </div>
      </dl>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

/**
 * Focuses an input of the form, in closed optional fields too.
 * @param refused the name of a refused field; without an input of its own: the empty one of a code, else the first one, else the
 * first button
 */
function toForm(refused = ''): void {
  const find = (within: string): HTMLElement | null => document.querySelector(`.step-panel ${within}`);
  const target =
    (refused === '' ? null : find(`form [data-refused~=${CSS.escape(refused)}]`)) ??
    emptyCodeField() ??
    find('form :is(input, select, textarea)') ??
    find(':is(form, .decide, .booking) button');
  target?.closest('details')?.setAttribute('open', '');
  target?.focus();
}

function Accepted({ client, exchange }: { readonly client: JourneyClient; readonly exchange: Exchange }) {
  const { next, waiting } = client;
  const isPending = exchange.answer?.status === 202;
  const isLink = isOpenEkyc(exchange);
  // the summary at the end replaces this
  if (next.kind === 'over') return null;
  const { title: nextTitle, what: nextWhat } = textOf(next, client.state.journey, client.surroundings);
  return (
    <Panel
      {...{ exchange, kind: isPending || isLink ? '' : 'good' }}
      what={`${exchange.title}: ${isPending ? 'still running' : isLink ? 'not verified yet' : messageOf(exchange)}`}
      why={
        isPending
          ? 'The provider is still working. You need not send the call again: the result appears here.'
          : [
              isLink ? 'The person has to complete the eKYC.' : 'It was accepted.',
              learnedFrom(exchange),
            ].join(' ')
      }
      next={waiting ? `Wait for ${waiting.what}.` : `${nextTitle}: ${nextWhat}`}
    >
      {!waiting && (
        <button type="button" onClick={() => toForm()}>
          Continue: {nextTitle}
        </button>
      )}
    </Panel>
  );
}

function EkycFailed(props: { readonly exchange: Exchange; readonly status: 'FAILED' | 'EXPIRED' }) {
  const { exchange, status } = props;
  const hasFailed = status === 'FAILED';
  return (
    <Panel
      {...{ exchange, kind: 'bad' }}
      what={hasFailed ? 'The eKYC failed' : 'The eKYC expired'}
      why={hasFailed ? 'The provider could not verify the person.' : 'The person did not finish in time.'}
      next="That request is over. The answer has opened a new one: let the person try again."
    >
      <button type="button" onClick={() => toForm()}>
        Start again with the new request
      </button>
    </Panel>
  );
}

function Refused({ client, exchange }: { readonly client: JourneyClient; readonly exchange: Exchange }) {
  const recovery = recoveryOf(exchange);
  const secondsLeft = useSecondsLeft(exchange, secondsToWait(exchange));
  const isEarly = recovery.kind === 'repeat' && secondsLeft > 0;
  return (
    <Panel
      {...{ exchange, kind: 'bad' }}
      what={`${exchange.title}: ${exchange.answer ? 'refused' : 'no answer'}`}
      why={
        <ul>
          {refusalsOf(exchange).map(({ code, field, text }) => (
            <li key={code + field + text}>
              {code && (
                <a href={`/guide/errors/${code}`} target="_blank" rel="noopener noreferrer">
                  <code>{code}</code>
                </a>
              )}{' '}
              {field && <b>{field.split('.').at(-1)}: </b>}
              {text}
            </li>
          ))}
        </ul>
      }
      next={nextAfter(recovery, secondsLeft)}
    >
      <button type="button" aria-disabled={isEarly} onClick={() => isEarly || recover(client, recovery)}>
        {recovery.label}
        {isEarly && ` in ${secondsLeft} s`}
      </button>
      {client.hasProvoked && !['restart', 'open'].includes(recovery.kind) && <PlainButton client={client} />}
    </Panel>
  );
}

function nextAfter(recovery: Recovery, secondsLeft: number): string {
  switch (recovery.kind) {
    case 'correct':
      return 'Correct the refused value and send it again. “Refill” restores values that succeed, but gives no consent.';
    case 'repeat':
      return secondsLeft > 0
        ? `Wait ${inSeconds(secondsLeft)}, then send the same request again.`
        : 'Send the same request again: the fault may be over.';
    case 'restart':
      return 'This request has ended and can no longer succeed. Open another one.';
    case 'open':
      return recovery.next;
    case 'log-in':
      return 'The session has ended. Log in again; completed steps are kept.';
    case 'follow':
      return 'Another step of the journey comes first.';
  }
}

function recover(client: JourneyClient, recovery: Recovery): void {
  // the pressed button disappears
  if (recovery.kind !== 'correct') focusPanel();
  switch (recovery.kind) {
    case 'correct':
      return toForm(recovery.field);
    case 'repeat':
      return void client.repeat();
    case 'restart':
      return void client.restart(recovery.step, recovery.key);
    case 'open':
      return client.choose(recovery.step, recovery.key);
    case 'log-in':
      return client.logInAgain();
    case 'follow':
      return client.followJourney();
  }
}

/** Seconds until the call may be repeated, counted down each second. */
function useSecondsLeft({ at, durationMs }: Exchange, seconds: number): number {
  const until = new Date(at).getTime() + durationMs + seconds * 1_000;
  const left = (): number => Math.max(0, Math.ceil((until - Date.now()) / 1_000));
  const [, render] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => (left() >= 0 ? render((times) => times + 1) : undefined), 1_000);
    return () => clearInterval(timer);
  }, [until]);
  return seconds > 0 ? left() : 0;
}
