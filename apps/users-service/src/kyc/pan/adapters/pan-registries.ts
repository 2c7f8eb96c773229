import { Logger } from '@nestjs/common';
import { withDeadline } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
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
import {
  callLimitMs,
  type PaidPart,
  type PanLookup,
  type PanQuery,
  type PanRegistry,
} from '../pan-registry.port.js';
import { CashfreePanAdapter } from './cashfree/cashfree-pan.adapter.js';
import { CashfreePanClient } from './cashfree/cashfree-pan.client.js';
import { HttpPanRegistryAdapter } from './http/http-pan-registry.adapter.js';
import { cashfreePanChecks, httpPanChecks, setuPanChecks } from './pan.checks.js';
import { SetuPanAdapter } from './setu/setu-pan.adapter.js';
import { SetuPanClient } from './setu/setu-pan.client.js';

interface PanProvider {
  readonly name: string;
  /** @param keep stores the answer of the first of two paid calls */
  lookUp(query: PanQuery, reference: string, keep: (answer: unknown) => Promise<void>): Promise<PanLookup>;
  /** Makes the second call. Undefined for a provider with one call. */
  resume?(query: PanQuery, reference: string, answer: unknown): Promise<PanLookup>;
}

export function panRegistry(config: ProvidersConfig, clients: ProviderClients): PanRegistries {
  const limitMs = callLimitMs(config);
  const providers = config.pan.map((settings) => {
    const client = clients.at(endpointOf(settings), config.panLookupTimeoutMs);
    return adapterOf(settings, client, limitMs);
  });
  return new PanRegistries(providers, limitMs);
}

function adapterOf({ kind }: PanProviderSettings, client: ProviderClient, limitMs: number): PanProvider {
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

/** A look-up that was possibly charged goes to no other provider. */
class PanRegistries implements PanRegistry {
  private readonly logger = new Logger('PanRegistries');
  private readonly providers: ProviderList<PanProvider>;

  constructor(
    inOrder: readonly PanProvider[],
    private readonly limitMs: number,
  ) {
    this.providers = new ProviderList('PAN_PROVIDERS', inOrder);
  }

  async lookUp(
    query: PanQuery,
    reference: string,
    keep: (paid: PaidPart) => Promise<void> = () => Promise.resolve(),
  ): Promise<PanLookup> {
    return this.providers.begin(null, (provider) => {
      const { name } = provider;
      if (provider !== this.providers.inOrder[0])
        this.logger.warn({ msg: 'another provider is asked about a PAN', provider: name });
      const kept = (answer: unknown): Promise<void> => keep({ provider: name, answer });
      return withDeadline(() => provider.lookUp(query, reference, kept), this.limitMs);
    });
  }

  async resume(query: PanQuery, reference: string, { provider: name, answer }: PaidPart): Promise<PanLookup> {
    const provider = this.providers.inOrder.find((one) => one.name === name);
    // the settings have changed since
    if (!provider?.resume) throw new ProviderError(name, 'timeout', { detail: 'no longer configured' });
    return withDeadline(() => provider.resume!(query, reference, answer), this.limitMs);
  }
}
