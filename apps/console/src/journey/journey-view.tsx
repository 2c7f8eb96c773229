import { useEffect, useState } from 'preact/hooks';
import { ExchangeCard } from '../calls/exchange-card.js';
import { type Exchange, isAbout, isGood } from '../calls/exchange.js';
import { Empty, TextField, ViewHead } from '../shell/parts.js';
import type { MagicValue, Settings } from '../shell/sandbox-api.js';
import { routeOf } from '../shell/routing.js';
import { useStore } from '../shell/store.js';
import { rememberParams } from '../shell/use-route.js';
import { readableAddress, spoken } from '../shell/words.js';
import { currentStep, StepList } from './step-list.js';
import { StepPanel } from './step-panel.js';
import type { Walker, WalkState } from './walker.js';

interface JourneyProps {
  readonly walker: Walker;
  readonly settings: Settings;
  readonly magicValues: readonly MagicValue[];
  readonly params: Readonly<Record<string, string>>;
}

/** The journey of one person with one issuer, walked call by call, or all at once. */
export function JourneyView({ walker, settings, magicValues, params }: JourneyProps) {
  const state = useStore(walker);
  useAddress(walker, state, settings.issuers, params);
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
      <div class="journey">
        <div class="journey-side">
          <StepList walker={walker} state={state} />
        </div>
        <div class="journey-main">
          <StepPanel walker={walker} state={state} magicValues={magicValues} />
        </div>
        <div class="journey-log">
          <ExchangeLog exchanges={state.exchanges} onClear={() => walker.clearExchanges()} />
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
    ['Phone', readableAddress(person.phone)],
    ['PAN', person.pan],
    ['Born', person.dob],
    ['Email', person.email],
    ['Aadhaar', person.aadhaar],
    ['Account', `${person.account} (${person.ifsc})`],
  ] as const;
  return (
    <dl class="person" aria-label="The person of this journey">
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function ExchangeLog(props: { readonly exchanges: readonly Exchange[]; readonly onClear: () => void }) {
  const [isAll, setIsAll] = useState(false);
  const [search, setSearch] = useState('');
  const [isFailedOnly, setIsFailedOnly] = useState(false);
  const shown = props.exchanges
    .filter(({ isBackground }) => isAll || !isBackground)
    .filter((exchange) => !isFailedOnly || !isGood(exchange))
    .filter((exchange) => isAbout(exchange, search));
  return (
    <section class="log" aria-labelledby="log">
      <div class="log-head">
        <h2 id="log">Requests and answers</h2>
        <label class="check">
          <input type="checkbox" checked={isAll} onChange={() => setIsAll(!isAll)} />
          with the console’s own
        </label>
        <label class="check">
          <input type="checkbox" checked={isFailedOnly} onChange={() => setIsFailedOnly(!isFailedOnly)} />
          failed only
        </label>
        <button type="button" class="quiet small" onClick={props.onClear}>
          Clear
        </button>
      </div>
      <TextField id="log-search" isSearch label="Search the log" value={search} onInput={setSearch} />
      {shown.length === 0 ? (
        <Empty title={props.exchanges.length === 0 ? 'Nothing was sent yet' : 'No such call'}>
          {props.exchanges.length === 0
            ? 'Send the first call, or walk the whole journey.'
            : 'No call of the log matches.'}
        </Empty>
      ) : (
        <ol class="exchanges" aria-label="Requests and answers, newest first">
          {shown.map((exchange, index) => (
            <ExchangeCard key={exchange.id} exchange={exchange} isOpen={index === 0} />
          ))}
        </ol>
      )}
    </section>
  );
}
