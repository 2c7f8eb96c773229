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

/** Returns the settings for reaching exactly these issuers over Fineract. */
export const overFineract = (slugs: readonly string[], url?: string): Environment => ({
  ISSUER_API_OVERRIDES: JSON.stringify(
    Object.fromEntries(slugs.map((slug) => [slug, fineractOverride(slug, url)])),
  ),
});

const sandboxFineractUrl = (): string => `${sandboxUrl()}/vendors/fineract/fineract-provider/api`;
