import { timeLimit } from '@fd/envelope';
import { z } from 'zod';
import type { BankProviderSettings, ProvidersConfig } from '../../../config/index.js';
import {
  checkedVendor,
  endpointOf,
  type ProviderClients,
  type ProviderEndpoint,
  providerId,
  ProviderList,
  type VendorCheck,
  type VendorsOf,
} from '../../../integrations/index.js';
import type { BankAccounts } from '../bank-accounts.port.js';
import { cashfreeBankChecks, httpBankChecks, setuBankChecks } from './bank.checks.js';
import { CashfreeBankAdapter } from './cashfree/cashfree-bank.adapter.js';
import { CashfreeBankClient } from './cashfree/cashfree-bank.client.js';
import { HttpBankAccountsAdapter, httpBankFailureIn } from './http/http-bank-accounts.adapter.js';
import { SetuBankAdapter } from './setu/setu-bank.adapter.js';
import { SetuBankClient } from './setu/setu-bank.client.js';

/** A worker's call ends well before its lease, so that no other process begins the verification. */
const VENDOR_TIMEOUT_MS = timeLimit(4_000);

/** The providers of BANK_PROVIDERS, in their order. */
export function bankAccounts(
  config: Pick<ProvidersConfig, 'bank'>,
  clients: ProviderClients,
  vendorTimeoutMs = VENDOR_TIMEOUT_MS,
): ProviderList<BankAccounts> {
  return new ProviderList(
    'BANK_PROVIDERS',
    config.bank.map((settings) => adapterOf(settings, clients, vendorTimeoutMs)),
  );
}

function adapterOf(
  settings: BankProviderSettings,
  clients: ProviderClients,
  vendorTimeoutMs: number,
): HttpBankAccountsAdapter | CashfreeBankAdapter | SetuBankAdapter {
  const endpoint = endpointOf(settings);
  if (settings.kind === 'http') {
    return new HttpBankAccountsAdapter(clients.at({ ...endpoint, failureIn: httpBankFailureIn }));
  }
  const client = clients.at(chargeable(endpoint), vendorTimeoutMs);
  switch (settings.kind) {
    case 'cashfree':
      return new CashfreeBankAdapter(new CashfreeBankClient(client));
    case 'setu':
      return new SetuBankAdapter(new SetuBankClient(client));
  }
}

/** The same providers, for the command `doctor`. */
export const bankVendors: VendorsOf = ({ providers }, clients) =>
  providers.bank.map((settings) => {
    const adapter = adapterOf(settings, clients, VENDOR_TIMEOUT_MS);
    return checkedVendor('bank', endpointOf(settings), checksOf(adapter));
  });

function checksOf(adapter: ReturnType<typeof adapterOf>): readonly VendorCheck[] {
  if (adapter instanceof HttpBankAccountsAdapter) return httpBankChecks(adapter);
  return adapter instanceof CashfreeBankAdapter ? cashfreeBankChecks(adapter) : setuBankChecks(adapter);
}

/**
 * A vendor's internal failure may have sent the penny; only some statuses exclude it. One of them is 400, also with a body
 * other than the declared ones.
 */
function chargeable({ failureIn, ...endpoint }: ProviderEndpoint): ProviderEndpoint {
  return {
    ...endpoint,
    failureIn: (answer) => {
      const known = failureIn?.(answer);
      if (!known && answer.status === 400) return { failure: 'refused', code: 'bad request' };
      const isProved = answer.status === 429 || answer.status === 503;
      return known?.failure === 'unavailable' && !isProved ? { ...known, failure: 'timeout' } : known;
    },
  };
}

const cashfreeWebhook = z.object({ data: z.object({ user_id: providerId }) });
const setuWebhook = z.object({ data: z.object({ bav: z.object({ id: providerId }) }) });

/** Readers by vendor: each returns the receipt of the verification that a webhook names; undefined for other webhooks. */
export const BANK_WEBHOOKS = {
  cashfree: (body: unknown) => cashfreeWebhook.safeParse(body).data?.data.user_id,
  setu: (body: unknown) => setuWebhook.safeParse(body).data?.data.bav.id,
} as const;
