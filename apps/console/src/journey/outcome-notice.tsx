import { type Exchange, isGood, payloadOf, refusalsOf } from '../calls/exchange.js';
import { StatusChip } from '../calls/exchange-card.js';
import { stepTitle } from './plan.js';
import type { Walker, WalkState } from './walker.js';

interface NoticeProps {
  readonly walker: Walker;
  readonly state: WalkState;
}

/** After an answer: what happened, why, and what comes next. */
export function OutcomeNotice({ walker, state }: NoticeProps) {
  const { failure, outcome, isWalking } = state;
  if (failure) return <Failure exchange={failure} />;
  if (!outcome || isWalking) return null;
  const ekyc = payloadOf(outcome)['ekyc_status'];
  if (ekyc === 'FAILED' || ekyc === 'EXPIRED') return <EkycFailure exchange={outcome} status={ekyc} />;
  return isGood(outcome) ? <Success walker={walker} exchange={outcome} /> : null;
}

function Success({ walker, exchange }: { readonly walker: Walker; readonly exchange: Exchange }) {
  const { next } = walker;
  const isPending = exchange.answer?.status === 202;
  return (
    <div class={`notice ${isPending ? '' : 'good'}`}>
      <p class="notice-title">
        <StatusChip exchange={exchange} /> {exchange.title}: {isPending ? 'still running' : 'done'}
      </p>
      {(next.kind === 'call' || next.kind === 'decide') && <p>Next: {stepTitle(next.step)}</p>}
    </div>
  );
}

function EkycFailure({
  exchange,
  status,
}: {
  readonly exchange: Exchange;
  readonly status: 'FAILED' | 'EXPIRED';
}) {
  return (
    <div class="notice bad" role="alert">
      <p class="notice-title">
        <StatusChip exchange={exchange} /> {status === 'FAILED' ? 'The eKYC failed' : 'The eKYC expired'}
      </p>
      <p>
        {status === 'FAILED'
          ? 'The provider could not verify the person.'
          : 'The person did not finish in time.'}{' '}
        A new request is open: try again below.
      </p>
    </div>
  );
}

function Failure({ exchange }: { readonly exchange: Exchange }) {
  const retryAfter = exchange.answer?.headers['retry-after'];
  return (
    <div class="notice bad" role="alert">
      <p class="notice-title">
        <StatusChip exchange={exchange} /> {exchange.title}
      </p>
      <ul>
        {refusalsOf(exchange).map(({ code, text }) => (
          <li key={code + text}>
            {code && (
              <a href={`/guide/errors/${code}`} target="_blank" rel="noopener noreferrer">
                <code>{code}</code>
              </a>
            )}{' '}
            {text}
          </li>
        ))}
      </ul>
      <p>
        {retryAfter ? `Try again in ${retryAfter} seconds.` : 'Correct what was refused, then send it again.'}
      </p>
    </div>
  );
}
