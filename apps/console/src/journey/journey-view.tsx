import { useEffect, useMemo } from 'preact/hooks';
import { ExchangeLog } from '../calls/exchange-log.js';
import { ClockStrip } from '../clock/clock-strip.js';
import { CopyButton } from '../shell/copy-button.js';
import { ViewHead } from '../shell/parts.js';
import type { MagicValue, Settings } from '../shell/sandbox-api.js';
import { hashOf, routeOf } from '../shell/routing.js';
import { useStore } from '../shell/store.js';
import { rememberParams } from '../shell/use-route.js';
import { inRupees, readableAddress, spoken } from '../shell/words.js';
import { PeopleList } from './people-list.js';
import { currentStep, StepList } from './step-list.js';
import { StepPanel } from './step-panel.js';
import type { Walker, WalkState } from './walker.js';

interface JourneyProps {
  readonly walker: Walker;
  readonly settings: Settings;
  readonly magicValues: readonly MagicValue[];
  readonly params: Readonly<Record<string, string>>;
}

/** The journey of one person with one issuer, made call by call, or completed automatically. */
export function JourneyView({ walker, settings, magicValues, params }: JourneyProps) {
  const state = useStore(walker);
  useAddress(walker, state, settings.issuers, params);
  const patterns = useMemo(() => Object.keys(state.document?.paths ?? {}), [state.document]);
  const service = { name: 'users', patterns } as const;
  return (
    <>
      <ViewHead
        title="Journey"
        lead="From a new person to a deposit that is ready to book, through the API as a frontend calls it. The API defines every form."
      >
        <WalkButtons walker={walker} state={state} />
      </ViewHead>
      <IssuerPicker walker={walker} state={state} issuers={settings.issuers} />
      {state.person && <PersonLine state={state} />}
      <PeopleList walker={walker} state={state} />
      <DepositLine state={state} />
      <ClockStrip state={state} />
      <div class="journey">
        <div class="journey-side">
          <StepList walker={walker} state={state} />
        </div>
        <div class="journey-main">
          <StepPanel walker={walker} state={state} magicValues={magicValues} />
        </div>
        <div class="journey-log">
          <ExchangeLog
            exchanges={state.exchanges}
            service={service}
            onClear={() => walker.clearExchanges()}
            onRepeat={(exchange) => void walker.replay(exchange)}
          />
        </div>
      </div>
    </>
  );
}

/** Keeps issuer and step in the address, and follows an address that names others. */
function useAddress(
  walker: Walker,
  state: WalkState,
  issuers: readonly string[],
  { issuer = '', step = '' }: Readonly<Record<string, string>>,
): void {
  useEffect(() => {
    const { slug, isBusy, isWalking } = walker.state;
    if (isBusy || isWalking) return;
    if (issuers.includes(issuer) && issuer !== slug) void walker.chooseIssuer(issuer);
    if (step !== '' && step !== currentStep(walker.state, walker)) walker.follow(step);
  }, [issuer, step]);
  const shown = currentStep(state, walker);
  useEffect(() => {
    // the effect above may have changed the state since this was rendered
    const now = { issuer: walker.state.slug, step: currentStep(walker.state, walker) ?? '' };
    if (routeOf(location.hash).view === 'journey') rememberParams('journey', now);
  }, [state.slug, shown]);
}

function WalkButtons({ walker, state }: { readonly walker: Walker; readonly state: WalkState }) {
  const walkAll = async (): Promise<void> => {
    if (walker.next.kind === 'over') await walker.begin();
    await walker.walk();
  };
  const isReady = state.person !== undefined && state.document !== undefined;
  return (
    <>
      <button type="button" class="quiet" disabled={state.isBusy} onClick={() => void walker.begin()}>
        New person
      </button>
      {state.isWalking ? (
        <button type="button" onClick={() => walker.stop()}>
          Stop
        </button>
      ) : (
        <button type="button" disabled={!isReady || state.isBusy} onClick={() => void walkAll()}>
          Walk it all
        </button>
      )}
    </>
  );
}

function IssuerPicker(props: {
  readonly walker: Walker;
  readonly state: WalkState;
  readonly issuers: readonly string[];
}) {
  const { walker, state, issuers } = props;
  return (
    <fieldset class="issuers">
      <legend class="visually-hidden">Issuer</legend>
      {issuers.map((slug) => (
        <label key={slug} class="issuer">
          <input
            type="radio"
            name="issuer"
            value={slug}
            checked={slug === state.slug}
            disabled={state.isWalking || state.isBusy}
            onChange={() => void walker.chooseIssuer(slug)}
          />
          <span>{spoken(slug)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function PersonLine({ state: { person } }: { readonly state: WalkState }) {
  if (!person) return null;
  const facts = [
    ['Phone', readableAddress(person.phone), person.phone],
    ['PAN', person.pan, person.pan],
    ['Born', person.dob, person.dob],
    ['Email', person.email, person.email],
    ['Aadhaar', person.aadhaar, person.aadhaar],
    ['Account', person.account, person.account],
    ['IFSC', person.ifsc, person.ifsc],
  ] as const;
  return (
    <dl class="person" aria-label="The person of this journey">
      {facts.map(([term, value, copied]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>
            <CopyButton text={copied} label={`${value}: copy ${term}`} className="value">
              {value}
            </CopyButton>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function DepositLine({ state: { deposit, slug } }: { readonly state: WalkState }) {
  if (deposit?.slug !== slug) return null;
  const { wish, quote, issuerName } = deposit;
  return (
    <p class="deposit-line">
      <span>
        {inRupees(Number(wish.amount))} for {wish.tenure} days with {issuerName}:{' '}
        {inRupees(quote.interest_amount)} gained
      </span>{' '}
      <a href={hashOf('quotes', { ...wish })}>Change</a>
    </p>
  );
}
