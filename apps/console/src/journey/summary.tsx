import { useEffect, useState } from 'preact/hooks';
import { type Exchange, isGood, payloadOf } from '../calls/exchange.js';
import { askMaster } from '../quotes/ask-master.js';
import { type Quote, quotePath, type QuoteQuery } from '../quotes/quote.js';
import { Refused } from '../quotes/refused.js';
import { inRupees, readableDate, spoken } from '../shell/words.js';
import { queryFor } from './deposit.js';
import type { JourneyState } from './journey-state.js';
import type { JourneyClient } from './journey-client.js';

interface Profile {
  readonly full_name: string | null;
  readonly pan: string | null;
  readonly bank: { readonly account?: string; readonly bank_name?: string | null } | null;
}

interface Nominee {
  readonly name?: string;
  readonly relationship?: string;
  readonly share?: number;
}

interface Known {
  /** The first read that was refused. */
  readonly refused: Exchange | undefined;
  readonly quote: Quote | undefined;
  readonly profile: Partial<Profile>;
  readonly nominees: readonly Nominee[];
}

/** The deposit that would be booked, at the end of the journey. */
export function DepositSummary({
  client,
  state,
}: {
  readonly client: JourneyClient;
  readonly state: JourneyState;
}) {
  const { slug, journey, deposit } = state;
  const query = queryFor(slug, journey?.issuer_code ?? '', deposit);
  const [known, setKnown] = useState<Known>();
  useEffect(() => {
    let isCurrent = true;
    void readKnown(client, query).then((read) => (isCurrent ? setKnown(read) : undefined));
    return () => void (isCurrent = false);
  }, [slug, JSON.stringify(query)]);
  if (!known) return <p class="hint">Reading the deposit …</p>;
  if (known.refused) return <Refused exchange={known.refused} title="The deposit cannot be shown" />;
  const issuer = deposit?.slug === slug ? deposit.issuerName : spoken(slug);
  return (
    <section class="summary" aria-labelledby="summary">
      <h3 id="summary">The deposit that would be booked</h3>
      <dl class="facts">
        {factsOf(issuer, query, known).map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {!known.quote && <p class="hint">master-service has no quote for this deposit at the moment.</p>}
    </section>
  );
}

async function readKnown(client: JourneyClient, query: QuoteQuery): Promise<Known> {
  const [quoted, profile, nominees] = await Promise.all([
    askMaster(client.settings, 'Quote of the summary', quotePath(query)),
    client.read('The person of the summary', '/api/v1/user-profile'),
    client.read('The nominees of the summary', '/api/v1/user-nominee'),
  ]);
  return {
    refused: [profile, nominees].find((exchange) => !isGood(exchange)),
    quote: isGood(quoted) ? (quoted.answer!.body as Quote) : undefined,
    profile: payloadOf(profile),
    nominees: (payloadOf(nominees)['nominees'] as Nominee[] | undefined) ?? [],
  };
}

function factsOf(
  issuer: string,
  query: QuoteQuery,
  { quote, profile, nominees }: Known,
): readonly [string, string][] {
  const { bank } = profile;
  return [
    ['Issuer', issuer],
    ['Depositor', [profile.full_name, profile.pan].filter(Boolean).join(', PAN ')],
    ['Amount', inRupees(Number(query.amount))],
    ['For', `${query.tenure} days`],
    ['Interest is paid', query.payout_frequency],
    ...(quote ? quoteFacts(quote) : []),
    ['Paid to', [bank?.bank_name, bank?.account].filter(Boolean).join(', ') || 'no account'],
    ['Nominee', nominees.map(nomineeText).join('; ') || 'none'],
  ];
}

const quoteFacts = (quote: Quote): [string, string][] => [
  ['Rate a year', `${quote.product_interest} %`],
  ['You gain', inRupees(quote.interest_amount)],
  ['At maturity', inRupees(quote.maturity_amount)],
  ['Matures on', readableDate(quote.maturity_date_ist)],
];

const nomineeText = ({ name = '', relationship = '' }: Nominee): string =>
  `${name} (${spoken(relationship).toLowerCase()})`;
