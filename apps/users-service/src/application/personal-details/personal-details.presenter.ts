import type {
  DetailOption,
  DetailOptions,
  PersonalDetailsOptionsPayload,
  PersonalDetailsPayload,
} from '@fd/contracts';
import type { Issuer } from '../../config/index.js';
import { DECLARATION_CODES, DECLARATIONS } from './declarations.table.js';
import { type Address, isCurrent } from './details.js';
import { type OptionField, OPTIONS } from './options.table.js';
import { askedBy, personalDetailsSchema } from './personal-details.schema.js';
import type { DetailsOverview } from './personal-details.service.js';

/** A person's own answers, unmasked: they are what the form is filled with again. */
export function presentDetails({
  issuer,
  details,
  acceptances,
  missing,
}: DetailsOverview): PersonalDetailsPayload {
  const { communication_address: address } = details;
  return {
    issuer_code: issuer?.code ?? null,
    gender: details.gender ?? null,
    marital_status: details.marital_status ?? null,
    mother_name: details.mother_name ?? null,
    occupation: details.occupation ?? null,
    annual_income_range: details.annual_income_range ?? null,
    source_of_funds: details.source_of_funds ?? null,
    place_of_birth: details.place_of_birth ?? null,
    nationality: details.nationality ?? null,
    residential_status: details.residential_status ?? null,
    communication_address: address ? presentAddress(address) : null,
    is_pep: details.is_pep ?? null,
    is_tax_resident_india_only: details.is_tax_resident_india_only ?? null,
    declarations: acceptances.filter(isCurrent).map(({ code, version, acceptedAt }) => ({
      code,
      version,
      accepted: true,
      accepted_at: acceptedAt.toISOString(),
    })),
    missing,
    expected_params: personalDetailsSchema(issuer),
  };
}

export function presentOptions(issuer: Issuer | undefined): PersonalDetailsOptionsPayload {
  const codes = issuer ? askedBy(issuer).declarations : DECLARATION_CODES;
  return {
    options: ALL_OPTIONS,
    declarations: codes.map((code) => ({ code, ...DECLARATIONS[code] })),
  };
}

/** Of an address that has passed the schema, so all but the second line are there. */
function presentAddress({ line1, line2, city, state_code, pincode }: Address) {
  return { line1: line1!, line2: line2 ?? null, city: city!, state_code: state_code!, pincode: pincode! };
}

const optionsOf = (field: OptionField): DetailOption[] =>
  Object.entries(OPTIONS[field]).map(([key, value]) => ({ key, value }));

const ALL_OPTIONS: DetailOptions = {
  gender: optionsOf('gender'),
  marital_status: optionsOf('marital_status'),
  occupation: optionsOf('occupation'),
  annual_income_range: optionsOf('annual_income_range'),
  source_of_funds: optionsOf('source_of_funds'),
  nationality: optionsOf('nationality'),
  residential_status: optionsOf('residential_status'),
  state_code: optionsOf('state_code'),
};
