import type { JourneyPayload, NominationPayload, NomineesPayload } from '@fd/contracts';
import type { ApiClient, CallOptions } from '@fd/testing';
import type { Response } from 'supertest';

export const NOMINEE_PATH = '/api/v1/user-nominee';

/** A nominee with all required fields. */
export const aNominee = (more: object = {}) => ({ name: 'Meera Rao', relationship: 'SPOUSE', ...more });

export const GUARDIAN = { name: 'Ravi Rao', relationship: 'FATHER', dob: '1980-02-03' };

export const SKIP = { skip_nominee: true, declaration_accepted: true };

export const postNominee = (
  api: ApiClient,
  body: object = aNominee(),
  query?: CallOptions['query'],
): Promise<Response> => api.post(NOMINEE_PATH, body, query && { query });

/** Adds one or more nominees for the calling user. */
export async function nominate(api: ApiClient, body: object = aNominee()): Promise<NominationPayload> {
  const response = await postNominee(api, body);
  if (response.status !== 201) {
    throw new Error(`user-nominee answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
  return (response.body as { payload: NominationPayload }).payload;
}

/** Returns the nominees of the calling user. */
export async function nomineesOf(
  api: ApiClient,
): Promise<Pick<NomineesPayload, 'nominees' | 'is_nominee_skipped'>> {
  const { payload } = (await api.get(NOMINEE_PATH)).body as { payload: NomineesPayload };
  return { nominees: payload.nominees, is_nominee_skipped: payload.is_nominee_skipped };
}

/** Returns the status of the nominee step in the calling user's journey. */
export async function nomineeStepOf(api: ApiClient): Promise<string | undefined> {
  const response = await api.get('/issuer-apis/aravalli/v1/journey');
  const { steps } = (response.body as { payload: JourneyPayload }).payload;
  return steps.find(({ step }) => step === 'NOMINEE')?.status;
}

/** Returns the field that a refusal names. */
export const fieldOf = ({ body }: Response): string | undefined =>
  (body as { error: { f_error_reason: string }[] }).error[0]?.f_error_reason;
