import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ExchangeLog } from '../calls/exchange-log.js';
import { ClockStrip } from '../clock/clock-strip.js';
import { CopyButton } from '../shell/copy-button.js';
import { NoSuchIssuer } from '../shell/no-such-issuer.js';
import { ViewHead } from '../shell/parts.js';
import type { MagicValue, Person, Settings } from '../shell/sandbox-api.js';
import { hashOf, routeOf } from '../shell/routing.js';
import { useStore } from '../shell/store.js';
import { useNarrow } from '../shell/use-narrow.js';
import { goTo, rememberParams } from '../shell/use-route.js';
import { inRupees, readableAddress, spoken } from '../shell/words.js';
import { PeopleList } from './people-list.js';
import { currentStep, StepList } from './step-list.js';
import { StepPanel } from './step-panel.js';
import type { JourneyState } from './journey-state.js';
import type { JourneyClient } from './journey-client.js';

const LEAD =
  'From a new person to a deposit that is ready to book, through the API as a frontend calls it. The API defines every form.';

interface JourneyProps {
  readonly client: JourneyClient;
  readonly settings: Settings;
  readonly magicValues: readonly MagicValue[];
  readonly params: Readonly<Record<string, string>>;
}

/** The journey of one person with one issuer, made call by call, or completed automatically. */
export function JourneyView(props: JourneyProps) {
  const { issuers } = props.settings;
  const { issuer = '' } = props.params;
  if (issuer === '' || issuers.includes(issuer)) return <KnownJourney {...props} />;
  const known = issuers.map((slug) => ({ name: spoken(slug), href: hashOf('journey', { issuer: slug }) }));
  return (
    <>
      <ViewHead title="Journey" lead={LEAD} />
      <NoSuchIssuer issuer={issuer} known={known} />
    </>
  );
}

function KnownJourney({ client, settings, magicValues, params }: JourneyProps) {
  const state = useStore(client);
  const [opened, setOpened] = useState(0);
  const reveal = (): void => setOpened((times) => times + 1);
  useAddress(client, state, params);
  const patterns = useMemo(() => Object.keys(state.document?.paths ?? {}), [state.document]);
  const service = { name: 'users', patterns } as const;
  const isNarrow = useNarrow();
  const context = (
    <>
      <PersonLine person={client.person} />
      <PeopleList client={client} state={state} onContinue={reveal} />
      <DepositLine state={state} />
      <ClockStrip state={{ ...state, person: client.person }} />
    </>
  );
  const steps = (
    <div key="steps" class="journey-side">
      <StepList client={client} state={state} onOpen={reveal} />
    </div>
  );
  return (
    <>
      <ViewHead title="Journey" lead={LEAD}>
        <RunButtons client={client} state={state} />
      </ViewHead>
      <IssuerPicker client={client} state={state} issuers={settings.issuers} />
      {!isNarrow && context}
      <div class="journey">
        {!isNarrow && steps}
        <div key="main" class="journey-main">
          <StepPanel {...{ client, state, magicValues, opened }} />
        </div>
        {/* in one column the form comes first; the key keeps what is typed when a device is turned */}
        {isNarrow && steps}
        {isNarrow && <div key="context">{context}</div>}
        <div key="log" class="journey-log">
          <ExchangeLog
            exchanges={state.exchanges}
            service={service}
            onClear={() => client.clearExchanges()}
            onRepeat={(exchange) => void client.replay(exchange)}
          />
        </div>
      </div>
    </>
  );
}

/** Keeps issuer and step in the address, and follows an address that names others. */
function useAddress(
  client: JourneyClient,
  state: JourneyState,
  params: Readonly<Record<string, string>>,
): void {
  const { issuer = '', step = '' } = params;
  const written = useRef('');
  // the browser changes the address before it reports the change, which is then followed by itself
  const isFollowed = (): boolean => JSON.stringify(routeOf(location.hash).params) === JSON.stringify(params);
  useEffect(() => {
    // what was written below is shown already
    if (isFollowed() && location.hash !== written.current) void client.follow(issuer, step);
  }, [issuer, step]);
  const shown = currentStep(state, client);
  useEffect(() => {
    if (routeOf(location.hash).view !== 'journey' || !isFollowed()) return;
    // the effect above may have changed the state since this was rendered
    const now = { issuer: client.state.slug, step: currentStep(client.state, client) ?? '' };
    written.current = hashOf('journey', now);
    // Back returns from a step that the user has opened; the journey's own progress adds nothing to the history
    const isOpened = client.state.chosen !== undefined && now.step !== routeOf(location.hash).params['step'];
    (isOpened ? goTo : rememberParams)('journey', now);
  }, [state.slug, shown]);
}

function RunButtons({ client, state }: { readonly client: JourneyClient; readonly state: JourneyState }) {
  const completeAll = async (): Promise<void> => {
    if (client.next.kind === 'over') await client.begin();
    await client.run();
  };
  const isReady = state.person !== undefined && state.document !== undefined;
  return (
    <>
      <button type="button" class="quiet" disabled={state.isBusy} onClick={() => void client.begin()}>
        New person
      </button>
      {state.isRunning ? (
        <button type="button" onClick={() => client.stop()}>
          Stop
        </button>
      ) : (
        <button
          type="button"
          aria-describedby="run-hint"
          disabled={!isReady || state.isBusy}
          onClick={() => void completeAll()}
        >
          Complete all steps
        </button>
      )}
      <p class="field-help" id="run-hint">
        “Complete all steps” gives all consents and declarations.
      </p>
    </>
  );
}

function IssuerPicker(props: {
  readonly client: JourneyClient;
  readonly state: JourneyState;
  readonly issuers: readonly string[];
}) {
  const { client, state, issuers } = props;
  return (
    <fieldset class="pills">
      <legend class="visually-hidden">Issuer</legend>
      {issuers.map((slug) => (
        <label key={slug} class="pill">
          <input
            type="radio"
            name="issuer"
            value={slug}
            checked={slug === state.slug}
            disabled={state.isRunning || state.isBusy}
            onChange={() => void client.chooseIssuer(slug)}
          />
          <span>{spoken(slug)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function PersonLine({ person }: { readonly person: Person | undefined }) {
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

function DepositLine({ state: { deposit, slug } }: { readonly state: JourneyState }) {
  if (deposit?.slug !== slug) return null;
  const { query, quote, issuerName } = deposit;
  return (
    <p class="deposit-line">
      <span>
        {inRupees(Number(query.amount))} for {query.tenure} days with {issuerName}:{' '}
        {inRupees(quote.interest_amount)} gained
      </span>{' '}
      <a href={hashOf('quotes', { ...query })}>Change</a>
    </p>
  );
}
