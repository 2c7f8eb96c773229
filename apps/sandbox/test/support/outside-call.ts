import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { eventually } from '@fd/testing';
import request, { type Test as Call } from 'supertest';
import { SilentCalls } from '../../src/http/silent-calls.service.js';
import type { Sandbox } from './sandbox.js';

export interface Effect {
  readonly id: string;
  readonly provider: string;
  readonly kind: string;
  readonly subject: string;
  readonly idempotency_key: string | null;
  readonly calls: number;
  readonly at: string;
}

/** A well-formed change at a played API. */
export function ask({ baseUrl }: Sandbox, path: string, body: object, idempotencyKey?: string): Call {
  const call = request(baseUrl).post(path).set('Authorization', 'Bearer any-key').send(body);
  return idempotencyKey === undefined ? call : call.set('Idempotency-Key', idempotencyKey);
}

/** A well-formed query at a played API. */
export function look({ baseUrl }: Sandbox, path: string): Call {
  return request(baseUrl).get(path).set('Authorization', 'Bearer any-key');
}

/** Effects in the ledger, newest first. */
export async function effectsOf(
  { baseUrl }: Sandbox,
  query: { provider?: string; subject?: string } = {},
): Promise<Effect[]> {
  const { body } = await request(baseUrl).get('/api/effects').query(query).expect(200);
  return body.effects;
}

/** A refusal in the played APIs' style. */
export const refusal = (type: string) => ({ error: { type, message: expect.any(String) } });

/**
 * A call without an answer. Resolves when the sandbox holds it; the client then disconnects.
 * @throws Error when it is answered
 */
export async function expectSilence(sandbox: Sandbox, path: string, body: object): Promise<void> {
  const silentCalls = sandbox.app.get(SilentCalls, { strict: false });
  const call = httpRequest(`${sandbox.baseUrl}${path}`, {
    method: 'POST',
    agent: false,
    headers: { authorization: 'Bearer any-key', 'content-type': 'application/json' },
  });
  const answered = once(call, 'response').then(() => {
    throw new Error(`${path} was answered`);
  });
  call.end(JSON.stringify(body));
  try {
    await Promise.race([eventually(() => expect(silentCalls.count).toBe(1)), answered]);
  } finally {
    answered.catch(() => undefined);
    call.on('error', () => undefined).destroy();
  }
  await eventually(() => expect(silentCalls.count).toBe(0));
}
