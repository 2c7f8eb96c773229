import { z } from 'zod';
import type { FineractAccount } from '../../../../config/index.js';
import { FetchedToken } from '../../../providers/fetched-token.js';
import {
  basic,
  type Credentials,
  type HttpAnswer,
  type KnownFailure,
  type ProviderEndpoint,
} from '../../../providers/http-exchange.js';

const error = z.object({
  userMessageGlobalisationCode: z.string(),
  /** What is not there, or not valid. */
  errors: z.array(z.object({ userMessageGlobalisationCode: z.string() })).catch([]),
});

/** A column that the data table does not have, within a validation error. */
const NO_COLUMN = 'error.msg.invalid.column';

/** Codes that refuse our credentials for every request. */
const OF_OUR_ACCOUNT: readonly string[] = [
  'error.msg.not.authenticated',
  'error.msg.invalid.tenant.identifier',
  'error.msg.not.authorized',
];

const CLIENT_UNKNOWN = /^error\.msg\.client(?:\.|identifier\.)/i;

const HELP: ProviderEndpoint['help'] = {
  settings: 'ISSUER_API_OVERRIDES',
  advice: {
    'error.msg.not.authenticated':
      'Fineract refuses our user: check user and password in ISSUER_API_OVERRIDES; with a token, that the user of our client exists there.',
    'token refused':
      'The token endpoint refuses our client: check client_id, client_secret and scope in ISSUER_API_OVERRIDES.',
    'no token': 'The answer is not that of a token endpoint: check token_url in ISSUER_API_OVERRIDES.',
    'token endpoint':
      'The token endpoint does not answer, or answers with a redirect: check token_url in ISSUER_API_OVERRIDES, and that egress is allowed (NetworkPolicy).',
    'error.msg.invalid.tenant.identifier':
      'Fineract does not know the tenant: check tenant in ISSUER_API_OVERRIDES.',
    'error.msg.not.authorized':
      'The user in ISSUER_API_OVERRIDES lacks permissions: grant those that the README of the adapter lists.',
    'missing column':
      'The data table fd_payout_accounts lacks a column: create it with all columns, as in the README of the adapter.',
    'not found':
      'The path of url in ISSUER_API_OVERRIDES is wrong, or the data table of accounts does not exist: see the README of the adapter.',
  },
};

/** An issuer's Apache Fineract. See the README beside this file. */
export function fineract(account: FineractAccount): ProviderEndpoint {
  const { name, baseUrl } = account;
  return { name, baseUrl, credentials: credentialsOf(account), help: HELP, failureIn };
}

function credentialsOf({ name, tenant, login }: FineractAccount): Credentials {
  const more = { 'fineract-platform-tenantid': tenant };
  if (login.kind === 'basic') return { ...basic(login.user, login.password), ...more };
  return new FetchedToken({ ...login, name, url: login.tokenUrl, more });
}

/** Fineract uses 403 for missing rights, broken rules and duplicate values. */
function failureIn({ status, body }: HttpAnswer): KnownFailure | undefined {
  // Fineract rolls back concurrent changes and asks for another try
  if (status === 409) return { failure: 'unavailable', code: 'conflict' };
  const { userMessageGlobalisationCode: code, errors = [] } = error.safeParse(body).data ?? {};
  if (status === 404) {
    // one client, who was deleted since we found them
    const isAboutClient = errors.some(({ userMessageGlobalisationCode: what }) => CLIENT_UNKNOWN.test(what));
    if (isAboutClient) return { failure: 'refused', code: 'client not known' };
    // a wrong address or a missing data table: calls declare 404 where an id may be unknown
    return { failure: 'misconfigured', code: 'not found' };
  }
  if (code === undefined) return undefined;
  if (OF_OUR_ACCOUNT.includes(code)) return { failure: 'misconfigured', code };
  if (errors.some(({ userMessageGlobalisationCode: what }) => what === NO_COLUMN))
    return { failure: 'misconfigured', code: 'missing column' };
  return status === 403 ? { failure: 'refused', code: 'rule' } : undefined;
}
