import type { Request, Response } from 'express';
import type { Dialect } from './outside-api.decorator.js';
import { Refusal } from './refusal.js';
import { OddAnswer } from './faults.js';

/** Faults of an account or a vendor, and terms of a contract, planted by a key that ends with `!` and one of these names. */
const PLANTED_FAULTS = [
  'wrong-key',
  'address',
  'no-money',
  'clock',
  'xml',
  'shape',
  'error-inside',
  'silent',
  'unavailable',
  'charge-each-read',
] as const;
type PlantedFault = (typeof PLANTED_FAULTS)[number];

/** The answer of a provider that was asked for JSON. */
export const XML_ANSWER = '<answer><status>OK</status></answer>';

/** The vendors' headers with keys. */
const KEY_HEADERS = ['authorization', 'x-client-secret', 'authkey'];
/** AWS gets a signature; only the id of the key is sent. */
const AWS_KEY = /^AWS4-HMAC-SHA256 Credential=([^/]+)/;

/** The fault in the key of a call. */
export function plantedFault({ headers }: Pick<Request, 'headers'>): PlantedFault | undefined {
  const keys = KEY_HEADERS.map((name) => String(headers[name] ?? '')).map((key) =>
    /^basic /i.test(key) ? Buffer.from(key.slice(6), 'base64').toString() : (AWS_KEY.exec(key)?.[1] ?? key),
  );
  // clients of a token endpoint encode their secret (RFC 6749, 2.3.1)
  return PLANTED_FAULTS.find((fault) => keys.some((key) => key.replace(/%21/g, '!').endsWith(`!${fault}`)));
}

const SLOW_CLOCK_MS = 3_600_000;

/** Sets a late Date header for a key that plants a wrong clock. Runs for unknown paths too. */
export function setPlantedClock(request: Request, response: Response, next: () => void): void {
  if (plantedFault(request) === 'clock')
    response.setHeader('date', new Date(Date.now() - SLOW_CLOCK_MS).toUTCString());
  next();
}

/** Applies a fault to a call. @throws Refusal or OddAnswer, which the played API answers */
export function answerAs(fault: PlantedFault, dialect: Dialect, response: Response): void {
  switch (fault) {
    case 'wrong-key':
      throw dialect.keyMissing;
    case 'address':
      throw dialect.addressRefused ?? new Refusal(403, 'forbidden', 'Your address is not allowed.');
    case 'no-money':
      if (dialect.walletEmpty) throw dialect.walletEmpty;
      return;
    case 'unavailable':
      throw new Refusal(503, 'service_unavailable', 'The service cannot be reached at the moment.');
    case 'silent':
      throw new OddAnswer('silent');
    case 'clock':
    case 'charge-each-read':
      return;
    case 'xml':
      response.json = () => response.status(200).type('xml').send(XML_ANSWER);
      return;
    case 'shape':
      replaceJson(response, renamed);
      return;
    case 'error-inside':
      replaceJson(response, () => dialect.bodyOf(new Refusal(500, 'internal', 'Something went wrong.')), 200);
      return;
  }
}

function replaceJson(response: Response, change: (body: unknown) => unknown, status?: number): void {
  const json = response.json.bind(response);
  response.json = (body: unknown) => {
    if (status !== undefined) response.status(status);
    return json(change(body));
  };
}

/** The fields of an answer under other names. */
function renamed(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(renamed);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [`${name}_v2`, renamed(value)]));
}
