import type { PanProviderSettings, ProvidersConfig } from '../../../config/index.js';
import {
  checkedVendor,
  endpointOf,
  type ProviderClients,
  ProviderList,
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
  const adapters = config.pan.map((settings) => registryOf(settings, config, clients).adapter);
  return new ProviderList<PanRegistry>('PAN_PROVIDERS', adapters);
}

/** The same providers, for the command `doctor`. */
export const panVendors: VendorsOf = ({ providers }, clients) =>
  providers.pan.map((settings) => {
    const { client, checks } = registryOf(settings, providers, clients);
    return checkedVendor('pan', client.address, checks);
  });

function registryOf(settings: PanProviderSettings, config: ProvidersConfig, clients: ProviderClients) {
  const client = clients.at(endpointOf(settings), config.panLookupTimeoutMs);
  switch (settings.kind) {
    case 'http': {
      const adapter = new HttpPanRegistryAdapter(client);
      return { client, adapter, checks: httpPanChecks(adapter) };
    }
    case 'cashfree': {
      const cashfree = new CashfreePanClient(client);
      const adapter = new CashfreePanAdapter(cashfree, callLimitMs(config));
      return { client, adapter, checks: cashfreePanChecks(cashfree) };
    }
    case 'setu': {
      const setu = new SetuPanClient(client);
      return { client, adapter: new SetuPanAdapter(setu), checks: setuPanChecks(setu) };
    }
  }
}
