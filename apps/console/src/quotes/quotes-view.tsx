import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Exchange, isGood, payloadOf } from '../calls/exchange.js';
import { ExchangeCard } from '../calls/exchange-card.js';
import type { JourneyClient } from '../journey/journey-client.js';
import { NoSuchIssuer } from '../shell/no-such-issuer.js';
import { ViewHead } from '../shell/parts.js';
import { hashOf } from '../shell/routing.js';
import type { Settings } from '../shell/sandbox-api.js';
import { goTo, rememberParams } from '../shell/use-route.js';
import { askMaster, MASTER } from './ask-master.js';
import { ComparisonTable } from './comparison-table.js';
import { type OfferedTenure, offeredTenures, type Vehicle } from './offered.js';
import {
  type Comparison,
  comparePath,
  factSheetPath,
  type Issuer,
  type Quote,
  quotePath,
  type QuoteQuery,
  queryOf,
} from './quote.js';
import { QuotePanel } from './quote-panel.js';
import { Refused } from './refused.js';
import { QuoteForm } from './quote-form.js';

/** Pause after a change before the requests are sent, so that typing sends none. */
const TYPING_MS = 250;

interface Answers {
  readonly quote: Exchange;
  readonly comparison: Exchange;
}

interface Asked {
  readonly issuers: readonly Issuer[];
  readonly answers: Answers | undefined;
}

/** Requests the quote and the comparison whenever the query changes. */
function useQuotes(settings: Settings, query: QuoteQuery): Asked {
  const [issuers, setIssuers] = useState<readonly Issuer[]>([]);
  const [answers, setAnswers] = useState<Answers>();
  useEffect(() => {
    void askMaster(settings, 'Issuers', '/api/v1/issuers').then((exchange) =>
      setIssuers((payloadOf(exchange)['issuers'] as Issuer[] | undefined) ?? []),
    );
  }, [settings]);
  useEffect(() => {
    let isCurrent = true;
    const asking = async (): Promise<void> => {
      const [quote, comparison] = await Promise.all([
        askMaster(settings, 'Quote', quotePath(query)),
        askMaster(settings, 'Comparison', comparePath(query)),
      ]);
      if (isCurrent) setAnswers({ quote, comparison });
    };
    const timer = setTimeout(() => void asking(), TYPING_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [settings, query]);
  return { issuers, answers };
}

/** The tenures that the issuer sells for the other terms of the query; none while they are unknown. */
function useTenures(settings: Settings, query: QuoteQuery, issuer: Issuer | undefined) {
  const [vehicles, setVehicles] = useState<readonly Vehicle[]>([]);
  const id = issuer?.f_issuer_id;
  useEffect(() => {
    setVehicles([]);
    if (id === undefined) return;
    let isCurrent = true;
    void askMaster(settings, 'Products', `/detail/${id}`).then((exchange) => {
      const found = (payloadOf(exchange)['vehiclesPayload'] as Vehicle[] | undefined) ?? [];
      if (isCurrent) setVehicles(found);
    });
    return () => void (isCurrent = false);
  }, [settings, id]);
  return useMemo(
    (): readonly OfferedTenure[] => (issuer ? offeredTenures(vehicles, issuer, query) : []),
    [vehicles, issuer, query],
  );
}

/** Quotes of a deposit: at one issuer in detail, and at all issuers in comparison. */
export function QuotesView(props: {
  readonly settings: Settings;
  readonly client: JourneyClient;
  readonly params: Readonly<Record<string, string>>;
}) {
  const { client } = props;
  const address = JSON.stringify(queryOf(props.params));
  // an equal query stays the same object, so that the effects run once for it
  const query = useMemo(() => JSON.parse(address) as QuoteQuery, [address]);
  const [apiKey, setApiKey] = useState(props.settings.api_key);
  const settings = useMemo(() => ({ ...props.settings, api_key: apiKey }), [props.settings, apiKey]);
  const { issuers, answers } = useQuotes(settings, query);
  const issuer = issuers.find(({ f_code: code }) => code === query.issuer);
  // without the list of issuers, the refusal of master-service is shown
  const isUnknown = issuers.length > 0 && !issuer;
  const tenures = useTenures(settings, query, issuer);
  const choose = async (quote: Quote): Promise<void> => {
    const { slug, name } = issuer!;
    await client.chooseDeposit({ slug, issuerName: name, query, quote });
    goTo('journey', { issuer: slug });
  };
  const change = (changes: Partial<QuoteQuery>): void => {
    const isTyped = 'amount' in changes || 'tenure' in changes;
    // Back must not return to each typed digit
    (isTyped ? rememberParams : goTo)('quotes', { ...query, ...changes });
  };
  return (
    <>
      <ViewHead
        title="Quotes"
        lead="Maturity quotes of master-service, for one issuer and for all issuers."
      />
      <div class="quotes">
        <section class="panel" aria-label="The deposit">
          <QuoteForm {...{ query, issuers, tenures, change, apiKey }} onApiKey={setApiKey} />
        </section>
        <div class="quote-results" aria-live="polite" aria-busy={!answers}>
          {isUnknown && <NoSuchIssuer issuer={query.issuer} known={linksTo(issuers, query)} />}
          {answers && !isUnknown && (
            <QuotePanel
              exchange={answers.quote}
              query={query}
              askFactSheet={() => askMaster(settings, 'Fact sheet', factSheetPath(query))}
              onChoose={
                issuer && settings.issuers.includes(issuer.slug) ? (quote) => void choose(quote) : undefined
              }
            />
          )}
          {answers && (
            <ComparisonPanel
              exchange={answers.comparison}
              query={query}
              onChoose={(issuer) => change({ issuer })}
            />
          )}
        </div>
      </div>
    </>
  );
}

/** Links to the same deposit at each issuer. */
const linksTo = (issuers: readonly Issuer[], query: QuoteQuery) =>
  issuers.map(({ f_code: code, name }) => ({ name, href: hashOf('quotes', { ...query, issuer: code }) }));

function ComparisonPanel(props: {
  readonly exchange: Exchange;
  readonly query: QuoteQuery;
  readonly onChoose: (code: string) => void;
}) {
  const { exchange, query } = props;
  return (
    <section class="panel" aria-labelledby="comparison">
      <h2 id="comparison">All issuers, for the same deposit</h2>
      {isGood(exchange) ? (
        <ComparisonTable
          comparison={payloadOf(exchange) as unknown as Comparison}
          chosen={query.issuer}
          onChoose={props.onChoose}
        />
      ) : (
        <Refused exchange={exchange} title="No comparison" />
      )}
      <ol class="exchanges" aria-label="The call">
        <ExchangeCard exchange={exchange} isOpen={false} service={MASTER} />
      </ol>
    </section>
  );
}
