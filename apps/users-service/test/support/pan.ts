import { randomInt } from 'node:crypto';
import type { PanVerificationPayload } from '@fd/contracts';
import type { ApiClient, CallOptions } from '@fd/testing';
import type { Response } from 'supertest';

export const PAN_PATH = '/api/v1/pan-verification';

/** A PAN that no other test uses; the digits may be special to the sandbox, and are not when they are left out. */
export function aPan({
  digits = String(randomInt(1_000, 10_000)),
  surnameInitial = letters(1),
} = {}): string {
  return `${letters(4)}${surnameInitial}${digits}${letters(1)}`;
}

export const panBody = (number = aPan(), dob = '1990-04-21') => ({ number, dob, consent_checked: true });

export const postPan = (
  api: ApiClient,
  body: object = panBody(),
  query?: CallOptions['query'],
): Promise<Response> => api.post(PAN_PATH, body, query && { query });

export interface VerifiedPan extends PanVerificationPayload {
  readonly number: string;
  readonly dob: string;
}

/** Verifies a PAN for the user who calls, and says which it was. */
export async function verifyPan(api: ApiClient, body = panBody()): Promise<VerifiedPan> {
  const response = await postPan(api, body);
  if (response.status !== 200) {
    throw new Error(`pan-verification answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
  const { payload } = response.body as { payload: PanVerificationPayload };
  return { ...payload, number: body.number, dob: body.dob };
}

function letters(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(65 + randomInt(26))).join('');
}
