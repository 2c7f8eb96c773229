import { v4 as uuidv4 } from 'uuid';
import type { VendorsOf } from '../doctor/doctor.command.js';
import { checkedVendor, unknownIdCheck, type VendorCheck } from '../doctor/vendor-check.js';
import { FineractIssuer } from './adapters/fineract/fineract-issuer.adapter.js';
import type { IssuerApi } from './issuer-api.port.js';
import { IssuerApis, issuerEndpoint } from './issuer-apis.js';

/** A PAN that cannot exist: no name begins with these letters. */
const NOBODY = { pan: 'AAAPX9999X', dateOfBirth: '1900-01-01', phone: '910000000000' };

/** Checks of the issuers' APIs for the command `doctor`. The checks change nothing at the issuers. */
export const issuerVendors: VendorsOf = ({ providers, journey }, clients) => {
  const apis = new IssuerApis(clients, providers, journey);
  return journey.issuers.map((issuer) => {
    const settings = providers.issuerOf(issuer.slug);
    const api = apis.forIssuer(issuer);
    const checks = [customerSearch(api), ...(api instanceof FineractIssuer ? [accountTable(api)] : [])];
    return checkedVendor('issuer', issuerEndpoint(settings), checks);
  });
};

const customerSearch = (api: IssuerApi): VendorCheck => ({
  name: 'customer search',
  run: async () =>
    (await api.findCustomer(NOBODY)) ? 'a customer is found' : 'no customer is found, as expected',
});

const accountTable = (api: FineractIssuer): VendorCheck =>
  unknownIdCheck(async () => !(await api.hasAccount(uuidv4())), 'table of accounts');
