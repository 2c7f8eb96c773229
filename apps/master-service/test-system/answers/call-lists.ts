import { ERROR_CODES, EXAMPLES } from '@fd/errors';
import {
  type Asked,
  type CallList,
  naughtyParameterRequests,
  type NamedRequest,
  parsedAnswer,
  protocolRequests,
} from '@fd/fuzzing';
import { rawExchange } from '@fd/testing';
import { ISSUERS } from '../../test/support/issuers.js';
import { API_KEY } from '../../test/support/master-app.js';

/** One pair in this many of a naughty text and a parameter. */
const EVERY = 80;

const KEY = { apikey: API_KEY };

const DEPOSIT = {
  tenure: '730',
  investment_amount: '100000',
  payout_frequency: 'Maturity',
  senior_citizen: 'false',
  women_citizen: 'false',
  tax_saver: 'false',
  product_type: 'FD',
};

/** Values of parameters of a deposit; each is combined with the others' first. */
const TERMS = {
  tenure: ['730', '7', '180', '365', '366', '400', '1095', '1825', '3650', '0', '5000'],
  investment_amount: ['100000', '1000', '5000', '5001', '25000.50', '9999999', '20000000', '0'],
  payout_frequency: ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly', 'Weekly'],
  senior_citizen: ['true', 'maybe'],
  women_citizen: ['true'],
  tax_saver: ['true'],
  product_type: ['RD'],
};

const FACT_SHEETS: readonly Readonly<Record<string, string>>[] = [
  { lang: 'hi' },
  { format: 'html' },
  { format: 'html', lang: 'hi' },
  { senior_for_tax: 'true', declaration_form: '121' },
  { pan_given: 'false', financial_year: '2027-28' },
];

/** The catalogue, and quotes, comparisons and fact sheets of each issuer. */
const reads: CallList = async ({ calls }) => {
  const get = (target: string) => calls.with(KEY).send({ method: 'GET', target });
  await get('/api/v1/issuers');
  for (const { id, code } of Object.values(ISSUERS)) {
    await get(`/detail/${id}`);
    const quote = `/api/v1/detail/maturity-amount/${code}`;
    await get(withQuery(quote, { ...DEPOSIT, explain: 'true' }));
    for (const [name, values] of Object.entries(TERMS))
      for (const value of values) await get(withQuery(quote, { ...DEPOSIT, [name]: value }));
    await get(withQuery(`/api/v1/fact-sheet/${code}`, DEPOSIT));
  }
  for (const more of FACT_SHEETS)
    await get(withQuery(`/api/v1/fact-sheet/${ISSUERS.aravalli.code}`, { ...DEPOSIT, ...more }));
  const { tenure, payout_frequency } = TERMS;
  const compare = { tenure: '730', amount: '100000' };
  for (const other of tenure.slice(0, 4))
    await get(withQuery('/api/v1/compare', { ...compare, tenure: other }));
  for (const frequency of payout_frequency)
    await get(withQuery('/api/v1/compare', { ...compare, payout_frequency: frequency }));
};

const withQuery = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query).toString()}`;

/** Every refusal of the catalogue, with and without a key. */
const refusals: CallList = async ({ calls }) => {
  for (const code of ERROR_CODES.filter((candidate) => candidate.startsWith('SVCMAS'))) {
    const example = EXAMPLES[code];
    if ('none' in example) continue;
    const [method, target] = example.call.split(' ') as [string, string];
    const own = example.as === 'anonymous' ? {} : KEY;
    await calls
      .titled(code)
      .with({ ...own, ...example.headers })
      .send({ method, target });
    await calls.titled(`${code} without a key`).send({ method, target });
  }
};

const corpora: CallList = (asked) =>
  sendEach(
    asked,
    naughtyParameterRequests(
      asked.document,
      { ...DEPOSIT, amount: '100000', issuer_code: ISSUERS.aravalli.code, issuer_uuid: ISSUERS.aravalli.id },
      EVERY,
    ),
  );

const protocol: CallList = async ({ calls, url }) => {
  for (const [name, bytes] of Object.entries(protocolRequests('/api/v1/issuers', `apikey: ${API_KEY}`)))
    calls.note(name, parsedAnswer(await rawExchange(Number(new URL(url).port), bytes)));
};

async function sendEach({ calls }: Asked, requests: readonly NamedRequest[]): Promise<void> {
  for (const { name, ...request } of requests) await calls.with(KEY).send(request, name);
}

/** All lists by the name of their file. */
export const callLists = (
  hostileRequests: () => readonly NamedRequest[],
): Readonly<Record<string, CallList>> => ({
  reads,
  refusals,
  corpora,
  hostile: (asked) => sendEach(asked, hostileRequests()),
  protocol,
});
