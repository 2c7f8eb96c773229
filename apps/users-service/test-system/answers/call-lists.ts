import {
  ConsentErrors,
  ERROR_CODES,
  EventErrors,
  EXAMPLES,
  NomineeErrors,
  PanErrors,
  SessionErrors,
} from '@fd/errors';
import {
  type ApiDocument,
  type Asked,
  type CallList,
  jsonTextRequests,
  type NamedRequest,
  naughtyFieldRequests,
  naughtyParameterRequests,
  operationsOf,
  parsedAnswer,
  protocolRequests,
} from '@fd/fuzzing';
import { rawExchange } from '@fd/testing';
import { follow, WAITS } from '../../test/support/error-example.js';
import { ISSUER_CODES, ISSUER_SLUGS, type IssuerSlug } from '../../test/support/issuers.js';
import { fixedPerson } from './fixed-person.js';
import { RecordedJourney } from './recorded-journey.js';

/** Persons of the lists, so that no two lists share one. */
const FIRST = { journeys: 0, examples: 100, hostile: 400, corpora: 600, protocol: 900 };

/** Codes and calls that were added after the recording: last, so that the others keep their persons. */
const ADDED: readonly string[] = [
  SessionErrors.unconfirmed,
  SessionErrors.confirmationWrong,
  SessionErrors.confirmationsExhausted,
  SessionErrors.nothingToConfirm,
  SessionErrors.confirmed,
  SessionErrors.unshared,
  SessionErrors.exportTooLarge,
  PanErrors.notOfPerson,
  PanErrors.inoperative,
  PanErrors.applicantMinor,
  ConsentErrors.factSheetSignatureInvalid,
  ConsentErrors.factSheetNotShown,
  NomineeErrors.guardianAgeUnknown,
  NomineeErrors.guardianIsNominee,
  NomineeErrors.tooManyForIssuer,
  EventErrors.keyInvalid,
  EventErrors.cursorUnknown,
]
  .map(({ code }): string => code)
  .concat(
    'post /api/v1/account-confirmation',
    'post /api/v1/account-confirmation/start-anew',
    'post /api/v1/user-data-export',
    'get /partner/v1/events',
    'get /partner/v1/events/{event_id}',
    'post /partner/v1/events/{event_id}/replay',
  );

const addedLast = (a: string, b: string): number => Number(ADDED.includes(a)) - Number(ADDED.includes(b));

/** One pair in this many of a naughty text and a parameter. */
const EVERY = 80;

/** Whole journeys with each issuer, then all reads, and the end of the session. */
const journeys: CallList = async ({ calls, document }) => {
  for (const [nth, issuer] of ISSUER_SLUGS.entries()) {
    const journey = new RecordedJourney(calls.titled(issuer), issuer, fixedPerson(FIRST.journeys + nth));
    await journey.all();
    await journey.journey();
    await journey.bookingCheck();
    for (const target of readsOf(document, issuer)) await journey.call('GET', target);
    await journey.call('POST', '/auth/api/v2/token/refresh', { refresh_token: 'unknown' });
    await journey.refresh();
    await journey.call('POST', '/auth/api/v2/logout', {});
    await journey.call('GET', '/api/v1/user-profile');
  }
};

/** All documented GETs without ids, with the parameters of an issuer; `catalogue.spec.ts` pins the error codes. */
const readsOf = (document: ApiDocument, issuer: IssuerSlug): string[] =>
  operationsOf(document)
    .filter(({ method }) => method === 'get')
    .map(({ template, parameters }) => {
      const query = parameters.some(({ name }) => name === 'issuer_code')
        ? `?issuer_code=${ISSUER_CODES[issuer]}`
        : '';
      return template.replace('{issuer_slug}', issuer) + query;
    })
    .filter((target) => !/\{|\/health\/|\/error-codes$/.test(target));

/** Every refusal of the catalogue, with the calls before it. */
const refusals: CallList = async ({ calls }) => {
  const codes = ERROR_CODES.filter((code) => !code.startsWith('SVCMAS') && !WAITS.includes(code)).sort(
    addedLast,
  );
  for (const [nth, code] of codes.entries()) {
    const example = EXAMPLES[code];
    if ('none' in example) continue;
    const person = fixedPerson(FIRST.examples + nth);
    const caller = new RecordedJourney(calls.titled(code), 'aravalli', person);
    if (example.as !== 'anonymous') await caller.begin();
    if (example.as === 'verified user') await caller.pan();
    const other = fixedPerson(FIRST.examples + nth + 150);
    const given = {
      pan: other.pan,
      'pan 0603': other.pan.replace('4711', '0603'),
      'pan 0401': other.pan.replace('4711', '0401'),
      'pan of a company': other.pan.replace(/^(...)./, '$1C'),
      aadhaar: other.aadhaar,
      email: other.email,
    };
    await follow(caller.caller, example, given);
  }
};

/** JSON texts as bodies, and naughty texts as fields and parameters. */
const corpora: CallList = (asked) =>
  sendEach(asked, FIRST.corpora, [
    ...jsonTextRequests('/auth/register'),
    ...jsonTextRequests('/api/v1/pan-verification'),
    ...naughtyFieldRequests('/auth/register', (phone) => ({ phone })),
    ...naughtyFieldRequests('/api/v1/pan-verification', (number) => ({
      number,
      dob: '1990-04-21',
      consent_checked: true,
    })),
    ...naughtyParameterRequests(asked.document, { issuer_slug: 'sahyadri' }, EVERY),
  ]);

/** A user for each call, so that a change of one call's answers changes no others. */
async function sendEach({ calls }: Asked, firstPerson: number, requests: readonly NamedRequest[]) {
  const operations = [...new Set(requests.map(({ operation }) => operation))].sort().sort(addedLast);
  for (const [nth, operation] of operations.entries()) {
    const user = new RecordedJourney(
      calls.titled(`before ${operation}`),
      'sahyadri',
      fixedPerson(firstPerson + nth),
    );
    const { bearer } = await user.begin();
    for (const { name, ...request } of requests.filter((candidate) => candidate.operation === operation))
      await calls.with(bearer).send(request, name);
  }
}

/** Unusual HTTP. */
const protocol: CallList = async ({ calls, url }) => {
  const user = new RecordedJourney(calls.titled('before'), 'aravalli', fixedPerson(FIRST.protocol));
  const { authorization } = (await user.begin()).bearer;
  const requests = protocolRequests('/api/v1/user-profile', `Authorization: ${authorization}`);
  for (const [name, bytes] of Object.entries(requests))
    calls.note(name, parsedAnswer(await rawExchange(Number(new URL(url).port), bytes)));
};

/** All lists by the name of their file. */
export const callLists = (
  hostileRequests: () => readonly NamedRequest[],
): Readonly<Record<string, CallList>> => ({
  journeys,
  refusals,
  corpora,
  hostile: (asked) => sendEach(asked, FIRST.hostile, hostileRequests()),
  protocol,
});
