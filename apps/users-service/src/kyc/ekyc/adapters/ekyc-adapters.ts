import { validate as isUuid, v4 as uuidv4 } from 'uuid';
import { z } from 'zod';
import { timeLimit } from '@fd/envelope';
import { Clock } from '@fd/platform';
import type { EkycProviderSettings, LockerProviderSettings, ProvidersConfig } from '../../../config/index.js';
import {
  type CheckedVendor,
  checkedVendor,
  endpointOf,
  ownFormat,
  type ProviderClients,
  type ProviderEndpoint,
  ProviderList,
  unknownIdCheck,
  type VendorsOf,
} from '../../../integrations/index.js';
import type { AadhaarProvider, DocumentLocker, HostedEkyc } from '../ekyc-providers.port.js';
import { CashfreeLockerAdapter } from './cashfree/cashfree-locker.adapter.js';
import { CashfreeLockerClient } from './cashfree/cashfree-locker.client.js';
import { CashfreeLinkAdapter } from './cashfree-link/cashfree-link.adapter.js';
import { kycLinkCheck } from './cashfree-link/cashfree-link.checks.js';
import { CashfreeLinkClient } from './cashfree-link/cashfree-link.client.js';
import { HttpAadhaarAdapter } from './http/http-aadhaar.adapter.js';
import { HttpDocumentLockerAdapter } from './http/http-document-locker.adapter.js';
import { HttpHostedEkycAdapter } from './http/http-hosted-ekyc.adapter.js';
import { SetuLockerAdapter } from './setu/setu-locker.adapter.js';
import { SetuLockerClient } from './setu/setu-locker.client.js';

/** An Aadhaar is fetched from its source for each read. The lease of a session is longer than its status and its document take. */
const VENDOR_TIMEOUT_MS = timeLimit(8_000);

/** @returns undefined while no issuer uses Aadhaar codes */
export const aadhaarProvider = (
  { aadhaar }: ProvidersConfig,
  clients: ProviderClients,
): AadhaarProvider | undefined => aadhaar && new HttpAadhaarAdapter(clients.at(ownFormat(aadhaar)));

export function documentLockers(config: ProvidersConfig, clients: ProviderClients, clock: Clock) {
  const lockers = config.locker.map((settings) => lockerOf(settings, config, clients, clock));
  return new ProviderList<DocumentLocker>('LOCKER_PROVIDERS', lockers);
}

function lockerOf(
  settings: LockerProviderSettings,
  { lockerReturnUrl }: ProvidersConfig,
  clients: ProviderClients,
  clock: Clock,
): HttpDocumentLockerAdapter | CashfreeLockerAdapter | SetuLockerAdapter {
  const endpoint = endpointOf(settings);
  if (settings.kind === 'http') return new HttpDocumentLockerAdapter(clients.at(endpoint));
  const client = clients.at(endpoint, VENDOR_TIMEOUT_MS);
  // guaranteed by the validation of the settings
  const returnUrl = lockerReturnUrl!;
  switch (settings.kind) {
    case 'cashfree':
      return new CashfreeLockerAdapter(new CashfreeLockerClient(client), returnUrl, clock);
    case 'setu':
      return new SetuLockerAdapter(new SetuLockerClient(client), returnUrl);
  }
}

export function hostedEkycs(config: ProvidersConfig, clients: ProviderClients, clock: Clock) {
  const hosted = config.ekyc.map((settings) => hostedOf(settings, config, clients, clock));
  return new ProviderList<HostedEkyc>('EKYC_PROVIDERS', hosted);
}

function hostedOf(
  settings: EkycProviderSettings,
  { kycLinkTemplate }: ProvidersConfig,
  clients: ProviderClients,
  clock: Clock,
): HttpHostedEkycAdapter | CashfreeLinkAdapter {
  const endpoint = endpointOf(settings);
  switch (settings.kind) {
    case 'http':
      return new HttpHostedEkycAdapter(clients.at(endpoint));
    case 'cashfree': {
      const client = new CashfreeLinkClient(clients.at(endpoint, VENDOR_TIMEOUT_MS));
      return new CashfreeLinkAdapter(client, kycLinkTemplate, clock);
    }
  }
}

const cashfreeWebhook = z.object({ data: z.object({ verification_id: z.string() }) });

/** Finds the request or locker session that a webhook of Cashfree names; undefined if unknown. */
export function ekycOfWebhook(body: unknown): string | undefined {
  const id = cashfreeWebhook.safeParse(body).data?.data.verification_id;
  return isUuid(id) ? id : undefined;
}

/** All of these providers, for the command `doctor`. */
export const ekycVendors: VendorsOf = ({ providers }, clients) => [
  ...(providers.aadhaar ? [aadhaarVendor(ownFormat(providers.aadhaar), clients)] : []),
  ...providers.locker.map((settings) => {
    const adapter = lockerOf(settings, providers, clients, new Clock());
    const isUnknown = async () => (await adapter.outcome(uuidv4())).outcome === 'expired';
    return checkedVendor('ekyc', endpointOf(settings), [unknownIdCheck(isUnknown)]);
  }),
  ...providers.ekyc.map((settings) => {
    const adapter = hostedOf(settings, providers, clients, new Clock());
    const isLink = adapter instanceof CashfreeLinkAdapter;
    const find = (id: string) => (isLink ? adapter.client.find(id) : adapter.state(id));
    const isUnknown = async () => (await find(uuidv4())) === undefined;
    const link = isLink ? [kycLinkCheck(adapter, providers.kycLinkTemplate)] : [];
    return checkedVendor('ekyc', endpointOf(settings), [unknownIdCheck(isUnknown), ...link]);
  }),
];

/** Without an Aadhaar number: an unknown transaction is over. */
function aadhaarVendor(endpoint: ProviderEndpoint, clients: ProviderClients): CheckedVendor {
  const adapter = new HttpAadhaarAdapter(clients.at(endpoint));
  const isUnknown = async () => (await adapter.check(uuidv4(), '000000', null)).outcome === 'expired';
  return checkedVendor('ekyc', endpoint, [unknownIdCheck(isUnknown)]);
}
