import type { PersonalDetailsOptionsPayload, PersonalDetailsPayload } from '@fd/contracts';
import type { ApiClient, CallOptions } from '@fd/testing';
import type { Response } from 'supertest';
import { ISSUER_CODES, type IssuerSlug } from './issuers.js';

export const DETAILS_PATH = '/api/v1/personal-details';
export const OPTIONS_PATH = `${DETAILS_PATH}/options`;

export const anAddress = (overrides: object = {}) => ({
  line1: '12, Lake Road',
  line2: 'Near the temple',
  city: 'Bengaluru',
  state_code: 'KA',
  pincode: '560001',
  ...overrides,
});

const acceptanceOf = (code: string) => ({ code, version: '2026-11', accepted: true });

/** All fields that any issuer asks for. */
export const allDetails = () => ({
  gender: 'FEMALE',
  marital_status: 'MARRIED',
  mother_name: 'Lakshmi Rao',
  occupation: 'SALARIED',
  annual_income_range: 'FROM_5_TO_10_LAKH',
  source_of_funds: 'SALARY',
  place_of_birth: 'Mysuru',
  nationality: 'INDIAN',
  residential_status: 'RESIDENT',
  communication_address: anAddress(),
  is_pep: false,
  is_tax_resident_india_only: true,
  declarations: ['OWN_FUNDS', 'FATCA', 'TERMS'].map(acceptanceOf),
});
type DetailName = keyof ReturnType<typeof allDetails>;

/** The fields that each issuer asks for. */
export const ASKED: Readonly<Record<IssuerSlug, { fields: DetailName[]; declarations: string[] }>> = {
  aravalli: {
    fields: [
      'gender',
      'marital_status',
      'occupation',
      'annual_income_range',
      'source_of_funds',
      'communication_address',
      'is_pep',
      'is_tax_resident_india_only',
    ],
    declarations: ['OWN_FUNDS', 'FATCA'],
  },
  kaveri: {
    fields: [
      'gender',
      'marital_status',
      'mother_name',
      'occupation',
      'annual_income_range',
      'source_of_funds',
      'nationality',
      'residential_status',
      'communication_address',
      'is_pep',
      'is_tax_resident_india_only',
    ],
    declarations: ['OWN_FUNDS', 'FATCA', 'TERMS'],
  },
  nilgiri: {
    fields: ['gender', 'occupation', 'source_of_funds', 'communication_address', 'is_pep'],
    declarations: ['OWN_FUNDS'],
  },
  sahyadri: {
    fields: [
      'gender',
      'marital_status',
      'mother_name',
      'occupation',
      'annual_income_range',
      'place_of_birth',
      'communication_address',
      'is_pep',
      'is_tax_resident_india_only',
    ],
    declarations: ['OWN_FUNDS', 'FATCA'],
  },
  vindhya: {
    fields: [
      'gender',
      'marital_status',
      'mother_name',
      'occupation',
      'annual_income_range',
      'source_of_funds',
      'place_of_birth',
      'nationality',
      'residential_status',
      'communication_address',
      'is_pep',
      'is_tax_resident_india_only',
    ],
    declarations: ['OWN_FUNDS', 'FATCA', 'TERMS'],
  },
};

/** Returns exactly the fields that an issuer asks for. */
export function detailsFor(slug: IssuerSlug): Record<string, unknown> {
  const { fields, declarations } = ASKED[slug];
  const all = allDetails();
  return {
    ...Object.fromEntries(fields.map((name) => [name, all[name]])),
    declarations: declarations.map(acceptanceOf),
  };
}

const queryOf = (slug: IssuerSlug | undefined): CallOptions | undefined =>
  slug && { query: { issuer_code: ISSUER_CODES[slug] } };

export const postDetails = (api: ApiClient, body: object, slug?: IssuerSlug): Promise<Response> =>
  api.post(DETAILS_PATH, body, queryOf(slug));

export const getDetails = (api: ApiClient, slug?: IssuerSlug): Promise<Response> =>
  api.get(DETAILS_PATH, queryOf(slug));

/** Returns the options and declarations of an issuer. */
export async function optionsOf(api: ApiClient, slug?: IssuerSlug): Promise<PersonalDetailsOptionsPayload> {
  const response = await api.get(OPTIONS_PATH, queryOf(slug));
  if (response.status !== 200) throw new Error(`options answered ${response.status}`);
  return (response.body as { payload: PersonalDetailsOptionsPayload }).payload;
}

/** Returns the fields that a refusal names. */
export const reasonsOf = ({ body }: Response): string[] =>
  (body as { error: { f_error_reason: string }[] }).error.map(({ f_error_reason }) => f_error_reason);

export const detailsIn = (response: Response): PersonalDetailsPayload =>
  (response.body as { payload: PersonalDetailsPayload }).payload;

/** Saves the details that an issuer asks for, for the calling user. */
export async function saveDetails(api: ApiClient, slug: IssuerSlug): Promise<PersonalDetailsPayload> {
  const response = await postDetails(api, detailsFor(slug), slug);
  if (response.status !== 200) {
    throw new Error(`personal-details answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
  return detailsIn(response);
}
