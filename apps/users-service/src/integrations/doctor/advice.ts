import { ProviderError } from '@fd/errors';
import { type CheckedVendor, CheckFault } from './vendor-check.js';

/** A problem and its remedy, without any request or answer data. */
export interface Fault {
  readonly what: string;
  readonly action: string;
}

/** Another server, or another path than the vendor's. */
const REDIRECT = /\bredirect\b|\bstatus 3\d\d\b/;
const NO_PATH = /\bstatus 40[45]\b/;
/** Of our client, and of the SDK of AWS. */
const NO_JSON = /: (?:body|SyntaxError)$/;
/** Network errors before any connection. */
const NOT_REACHED = /^(?:E[A-Z_]+|UND_ERR_CONNECT_TIMEOUT)$/;
/** Codes of Node.js about a certificate that is not trusted. */
export const CERTIFICATE = /CERT|ISSUER|LEAF_SIGNATURE|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH/;
/** Adapters say so of an error of the vendor that is on none of their lists. */
const UNKNOWN_CODE = 'unknown code';
const TLS = /SSL|TLS|EPROTO/;

export function faultOf(error: unknown, vendor: CheckedVendor): Fault {
  if (error instanceof CheckFault) {
    const { message: what, action } = error;
    return { what, action: typeof action === 'string' ? action : action(vendor.settings) };
  }
  // the text of an internal error may contain personal data
  if (!(error instanceof ProviderError)) {
    return { what: 'the check itself failed', action: 'Report it, with the version of the service.' };
  }
  // an adapter that knows more of the outcome has wrapped the answer, which alone names the remedy
  if (error.cause instanceof ProviderError) {
    const what = [error.detail, error.cause.detail].filter(Boolean).join(': ');
    return { what, action: actionFor(error.cause, vendor) };
  }
  const { failure, detail = '' } = error;
  return { what: detail ? `${failure}: ${detail}` : failure, action: actionFor(error, vendor) };
}

function actionFor({ failure, detail = '' }: ProviderError, vendor: CheckedVendor): string {
  const { advice = {}, settings } = vendor;
  const code = detail.split(': ').at(-1)!;
  if (Object.hasOwn(advice, code)) return advice[code]!;
  if (TLS.test(detail) || CERTIFICATE.test(detail)) {
    return `The server's certificate is not trusted here: check the host in ${settings}, and NODE_EXTRA_CA_CERTS behind a proxy that decrypts.`;
  }
  if (REDIRECT.test(detail)) {
    return `The server answers with a redirect, which the service never follows: check the URL in ${settings} (https, host and path, as the vendor documents them).`;
  }
  if (NO_PATH.test(detail)) {
    return `The server has no such path: check the path of the URL in ${settings}, and that the product is enabled there. If both are right, the answer differs from the contract of our adapter: read the release notes of the vendor.`;
  }
  if (code === UNKNOWN_CODE) {
    return `The vendor refuses the call with an error that our adapter does not know: check that the product is enabled in the account of ${settings}, then ask the vendor's support.`;
  }
  switch (failure) {
    case 'unavailable':
      return NOT_REACHED.test(detail)
        ? `Cannot connect to ${new URL(vendor.baseUrl).host}: check ${settings}, DNS, and that egress is allowed (NetworkPolicy).`
        : 'The vendor accepts no calls at the moment: see its status page, and run this again.';
    case 'timeout':
      return detail.startsWith('status')
        ? 'The vendor failed: see its status page, and run this again.'
        : `The vendor did not answer in time: check ${settings}, egress (proxy, NetworkPolicy) and its status page.`;
    case 'malformed':
      return detail === '' || NO_JSON.test(detail)
        ? `The answer is not JSON, but XML or the page of a proxy, for example: check ${settings}, then ask the vendor's support.`
        : 'The answer differs from the contract of our adapter at the named field: do not roll out; compare with the release notes of the vendor and update the adapter.';
    case 'misconfigured':
      return detail.includes('403')
        ? `The vendor knows the key but denies access: have our egress addresses allow-listed, and check the permissions of the account in ${settings}.`
        : `The vendor refuses our key: check ${settings}, and that the key is of this environment (test or live).`;
    case 'refused':
      return `The vendor refuses a valid call: check that the product is enabled in the account of ${settings}, and read the release notes of the vendor.`;
  }
}
