import { type ErrorCode, type Example, type ExampleCall, PanErrors, type PLACEHOLDERS } from '@fd/errors';
import { type ApiClient, type CallOptions, codesIn } from '@fd/testing';
import { v7 as uuidv7 } from 'uuid';
import { anAadhaar } from './ekyc.js';
import { codeOf } from './inbox.js';
import { as, logIn } from './login.js';
import { aPan, verifyPan } from './pan.js';
import type { TestService } from './users-app.js';

/** Codes of answers that a call gets only after it has waited. */
export const WAITS: readonly ErrorCode[] = [PanErrors.pending.code];

type Placeholder = keyof typeof PLACEHOLDERS;

/** Of the phones with a fixed code, each example has its own. */
let phones = 0;

interface Answer {
  readonly body: unknown;
}

/** Makes the calls of an example. */
export interface Caller {
  post(path: string, body: object, options: CallOptions): Promise<Answer>;
  get(path: string, options: CallOptions): Promise<Answer>;
  delete(path: string, options: CallOptions): Promise<Answer>;
}

/** Values of placeholders that are not to be random. */
export type GivenValues = Partial<Readonly<Record<Placeholder, string>>>;

/** Follows one example of the error catalogue as an integrator would. */
class Walkthrough {
  private readonly values = new Map<string, string>();
  private recipient = '';
  private payload: Readonly<Record<string, unknown>> = {};

  constructor(
    private readonly api: Caller,
    private readonly given: GivenValues,
  ) {}

  /** @returns the last answer */
  async make({ call, body, headers = {}, times = 1 }: ExampleCall): Promise<Answer> {
    const [method, path] = call.split(' ') as ['GET' | 'POST' | 'DELETE', string];
    const filled = body && ((await this.filled(body)) as Readonly<Record<string, unknown>>);
    let response: Answer | undefined;
    for (let made = 0; made < times; made++) {
      if (method === 'POST') response = await this.api.post(path, filled ?? {}, { headers });
      else response = await this.api[method === 'GET' ? 'get' : 'delete'](path, { headers });
    }
    const recipient = filled?.['phone'] ?? filled?.['email'] ?? filled?.['aadhaar_number'];
    this.recipient = typeof recipient === 'string' ? recipient : '';
    this.payload = ((response!.body as { payload?: object }).payload ?? {}) as Record<string, unknown>;
    return response!;
  }

  private async filled(value: unknown): Promise<unknown> {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.filled(item)));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(async ([key, item]) => [key, await this.filled(item)] as const);
    return Object.fromEntries(await Promise.all(entries));
  }

  private async text(text: string): Promise<string> {
    const name = /^\{(.+)\}$/.exec(text)?.[1];
    if (name === undefined) return text;
    const known = this.values.get(name);
    if (known !== undefined) return known;
    const value = this.given[name as Placeholder] ?? (await this.valueOf(name as Placeholder));
    this.values.set(name, value);
    return value;
  }

  private async valueOf(name: Placeholder): Promise<string> {
    switch (name) {
      case 'phone':
        return `9199999000${String(phones++).padStart(2, '0')}`;
      case 'pan':
        return aPan();
      case 'pan 0603':
        return aPan({ digits: '0603' });
      case 'pan 0401':
        return aPan({ digits: '0401' });
      case 'pan of a company':
        return aPan({ holder: 'C' });
      case 'aadhaar':
        return anAadhaar();
      case 'email':
        return `asha.${crypto.randomUUID()}@mail.example`;
      case 'code':
        return codeOf(this.recipient);
      case 'uuid':
        return uuidv7();
      case 'now':
        return new Date().toISOString();
      default:
        return this.payload[name] as string;
    }
  }
}

/** Makes the calls of an example. Returns the codes in the last answer. */
export async function provoke(service: TestService, example: Example): Promise<string[]> {
  return follow(await callerOf(service, example.as), example);
}

/** Makes the calls of an example as this caller, who is what the example wants. Returns the codes in the last answer. */
export async function follow(caller: Caller, example: Example, given: GivenValues = {}): Promise<string[]> {
  const walkthrough = new Walkthrough(caller, given);
  for (const call of example.after ?? []) await walkthrough.make(call);
  return codesIn((await walkthrough.make(example)).body);
}

async function callerOf(service: TestService, who: Example['as']): Promise<ApiClient> {
  if (who === 'anonymous') return service.api;
  const user = as(service.api, await logIn(service));
  if (who === 'verified user') await verifyPan(user);
  return user;
}
