import type { Environment } from '@fd/platform';
import { sandboxUrl } from './sandbox.config.js';

/** Returns the override for an issuer reached over Fineract: the sandbox's, where staff review accounts. */
export const fineractOverride = (tenant: string, url = sandboxFineractUrl()) => ({
  api: 'fineract',
  url,
  tenant,
  user: 'deposits',
  password: 'its-password',
  office_id: 7,
  reviews_accounts: true,
});

/** Returns the override with a token of the authorization server in place of the user and password. */
export const tokenOverride = (
  tenant: string,
  url?: string,
  tokenUrl = `${sandboxUrl()}/vendors/fineract/oauth2/token`,
) => ({
  ...fineractOverride(tenant, url),
  user: undefined,
  password: undefined,
  token_url: tokenUrl,
  client_id: 'deposits',
  client_secret: 'its-secret',
});

/** Returns the settings for reaching exactly these issuers over Fineract. */
export const overFineract = (
  slugs: readonly string[],
  url?: string,
  override: (tenant: string, url?: string) => object = fineractOverride,
): Environment => ({
  ISSUER_API_OVERRIDES: JSON.stringify(Object.fromEntries(slugs.map((slug) => [slug, override(slug, url)]))),
});

const sandboxFineractUrl = (): string => `${sandboxUrl()}/vendors/fineract/fineract-provider/api`;
