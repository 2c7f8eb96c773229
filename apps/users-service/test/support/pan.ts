import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PanPendingPayload, PanVerificationPayload } from '@fd/contracts';
import type { ApiClient, CallOptions } from '@fd/testing';
import type { Response } from 'supertest';
import { v7 as uuidv7 } from 'uuid';
import { IdentitiesRepository } from '../../src/kyc/pan/identities.repository.js';
import { as, type LoggedIn, logIn } from './login.js';
import type { UsersApp } from './users-app.js';

const POLL_MS = 100;

export const PAN_PATH = '/api/v1/pan-verification';

/** Returns an unused PAN; DIGITS may be a magic number of the sandbox. Random digits never are. */
export function aPan({
  digits = String(randomInt(1_000, 10_000)),
  holder = 'P',
  surnameInitial = letters(1),
} = {}): string {
  return `${letters(3)}${holder}${surnameInitial}${digits}${letters(1)}`;
}

export const panBody = (number = aPan(), dob = '1990-04-21') => ({ number, dob, consent_checked: true });

export const postPan = (
  api: ApiClient,
  body: object = panBody(),
  query?: CallOptions['query'],
): Promise<Response> => api.post(PAN_PATH, body, query && { query });

export const getPan = (api: ApiClient, id: string): Promise<Response> => api.get(`${PAN_PATH}/${id}`);

export interface VerifiedPan extends PanVerificationPayload {
  readonly number: string;
  readonly dob: string;
}

/** Verifies a PAN for the calling user; polls while the check is pending. Returns the PAN too. */
export async function verifyPan(api: ApiClient, body = panBody()): Promise<VerifiedPan> {
  let response = await postPan(api, body);
  while (response.status === 202) {
    await sleep(POLL_MS);
    const { payload } = response.body as { payload: PanPendingPayload };
    response = await getPan(api, payload.verification_id);
  }
  if (response.status !== 200) {
    throw new Error(`pan-verification answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
  const { payload } = response.body as { payload: PanVerificationPayload };
  return { ...payload, number: body.number, dob: body.dob };
}

/** Logs a new user in, who verifies a PAN. */
export async function aPanHolder(
  service: Pick<UsersApp, 'api'>,
): Promise<{ login: LoggedIn; pan: VerifiedPan }> {
  const login = await logIn(service);
  return { login, pan: await verifyPan(as(service.api, login)) };
}

/** Verifies a PAN with a given name for a user. */
export async function knownAs({ app, database }: UsersApp, userId: string, fullName: string): Promise<void> {
  const [firstName = '', ...rest] = fullName.split(' ');
  await database.manager.transaction((tx) =>
    app.get(IdentitiesRepository).keep(tx, userId, {
      pan: aPan(),
      dateOfBirth: '1990-04-21',
      fullName,
      firstName,
      middleName: null,
      lastName: rest.at(-1) ?? null,
      fatherName: null,
      verificationId: uuidv7(),
      panStatus: 'VALID',
      isBirthDateCompared: true,
      aadhaarSeedingStatus: 'LINKED',
    }),
  );
}

function letters(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(65 + randomInt(26))).join('');
}
