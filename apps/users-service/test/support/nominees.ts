import type { JourneyPayload, NominationPayload, NomineesPayload } from '@fd/contracts';
import type { ApiClient, CallOptions } from '@fd/testing';
import type { Response } from 'supertest';

export const NOMINEE_PATH = '/api/v1/user-nominee';

/** A nominee of all that is required. */
export const aNominee = (more: object = {}) => ({ name: 'Meera Rao', relationship: 'SPOUSE', ...more });

export const GUARDIAN = { name: 'Ravi Rao', relationship: 'FATHER', dob: '1980-02-03' };

export const SKIP = { skip_nominee: true, declaration_accepted: true };

export const postNominee = (
  api: ApiClient,
  body: object = aNominee(),
  query?: CallOptions['query'],
): Promise<Response> => api.post(NOMINEE_PATH, body, query && { query });

/** Names a nominee, or several, for the user who calls. */
export async function nominate(api: ApiClient, body: object = aNominee()): Promise<NominationPayload> {
  const response = await postNominee(api, body);
  if (response.status !== 201) {
    throw new Error(`user-nominee answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
  return (response.body as { payload: NominationPayload }).payload;
}

/** Whom the user who calls has named. */
export async function nomineesOf(
  api: ApiClient,
): Promise<Pick<NomineesPayload, 'nominees' | 'is_nominee_skipped'>> {
  const { payload } = (await api.get(NOMINEE_PATH)).body as { payload: NomineesPayload };
  return { nominees: payload.nominees, is_nominee_skipped: payload.is_nominee_skipped };
}

/** Status of the step in the journey of the user who calls. */
export async function nomineeStepOf(api: ApiClient): Promise<string | undefined> {
  const response = await api.get('/issuer-apis/aravalli/v1/journey');
  const { steps } = (response.body as { payload: JourneyPayload }).payload;
  return steps.find(({ step }) => step === 'NOMINEE')?.status;
}

/** The field that a refusal is about. */
export const fieldOf = ({ body }: Response): string | undefined =>
  (body as { error: { f_error_reason: string }[] }).error[0]?.f_error_reason;
