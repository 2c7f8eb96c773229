import type { PanProviderSettings, ProvidersConfig } from '../../../config/index.js';
import {
  checkedVendor,
  endpointOf,
  type ProviderClient,
  type ProviderClients,
  ProviderList,
  type VendorCheck,
  type VendorsOf,
} from '../../../integrations/index.js';
import { callLimitMs, type PanRegistry } from '../pan-registry.port.js';
import { CashfreePanAdapter } from './cashfree/cashfree-pan.adapter.js';
import { CashfreePanClient } from './cashfree/cashfree-pan.client.js';
import { HttpPanRegistryAdapter } from './http/http-pan-registry.adapter.js';
import { cashfreePanChecks, httpPanChecks, setuPanChecks } from './pan.checks.js';
import { SetuPanAdapter } from './setu/setu-pan.adapter.js';
import { SetuPanClient } from './setu/setu-pan.client.js';

/** The providers of PAN_PROVIDERS, in their order. */
export function panRegistries(config: ProvidersConfig, clients: ProviderClients): ProviderList<PanRegistry> {
  const adapters = config.pan.map((settings) => {
    const client = clients.at(endpointOf(settings), config.panLookupTimeoutMs);
    return adapterOf(settings, client, callLimitMs(config));
  });
  return new ProviderList('PAN_PROVIDERS', adapters);
}

function adapterOf({ kind }: PanProviderSettings, client: ProviderClient, limitMs: number): PanRegistry {
  switch (kind) {
    case 'http':
      return new HttpPanRegistryAdapter(client);
    case 'cashfree':
      return new CashfreePanAdapter(new CashfreePanClient(client), limitMs);
    case 'setu':
      return new SetuPanAdapter(new SetuPanClient(client));
  }
}

/** The same providers, for the command `doctor`. */
export const panVendors: VendorsOf = ({ providers: { pan, panLookupTimeoutMs } }, clients) =>
  pan.map((settings) => {
    const client = clients.at(endpointOf(settings), panLookupTimeoutMs);
    return checkedVendor('pan', client.address, checksOf(settings, client));
  });

function checksOf({ kind }: PanProviderSettings, client: ProviderClient): readonly VendorCheck[] {
  switch (kind) {
    case 'http':
      return httpPanChecks(new HttpPanRegistryAdapter(client));
    case 'cashfree':
      return cashfreePanChecks(new CashfreePanClient(client));
    case 'setu':
      return setuPanChecks(new SetuPanClient(client));
  }
}
