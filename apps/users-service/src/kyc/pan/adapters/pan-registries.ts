import { Logger } from '@nestjs/common';
import { ProviderError } from '@fd/errors';
import { v7 as uuidv7 } from 'uuid';
import type { ProvidersConfig, VerificationProviderSettings } from '../../../config/index.js';
import {
  checkedVendor,
  endpointOf,
  mayAskAnother,
  type ProviderClient,
  type ProviderClients,
  type VendorCheck,
  type VendorsOf,
} from '../../../integrations/index.js';
import type { PaidPart, PanLookup, PanQuery, PanRegistry } from '../pan-registry.port.js';
import { CashfreePanAdapter } from './cashfree/cashfree-pan.adapter.js';
import { cashfreePanChecks } from './cashfree/cashfree-pan.checks.js';
import { CashfreePanClient } from './cashfree/cashfree-pan.client.js';
import { HttpPanRegistryAdapter } from './http/http-pan-registry.adapter.js';
import { panLookUpCheck } from './pan-look-up.check.js';
import { SetuPanAdapter } from './setu/setu-pan.adapter.js';
import { setuPanChecks } from './setu/setu-pan.checks.js';
import { SetuPanClient } from './setu/setu-pan.client.js';

/** A registry that accepts our id of a look-up. */
interface PanAdapter {
  /** @param keep stores the answer of the first of two paid calls */
  lookUp(query: PanQuery, reference: string, keep: (answer: unknown) => Promise<void>): Promise<PanLookup>;
  /** Makes the second call. Undefined for a provider with one call. */
  goOn?(query: PanQuery, reference: string, answer: unknown): Promise<PanLookup>;
}

/** The providers of PAN_PROVIDERS as one registry. */
export function panRegistry(
  { pan, panLookupTimeoutMs }: ProvidersConfig,
  clients: ProviderClients,
): PanRegistries {
  return new PanRegistries(
    pan.map((settings) => ({
      name: settings.name,
      registry: adapterOf(settings, clients.at(endpointOf(settings), panLookupTimeoutMs)),
    })),
  );
}

function adapterOf({ kind }: VerificationProviderSettings, client: ProviderClient): PanAdapter {
  switch (kind) {
    case 'http':
      return new HttpPanRegistryAdapter(client);
    case 'cashfree':
      return new CashfreePanAdapter(new CashfreePanClient(client));
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

function checksOf({ kind }: VerificationProviderSettings, client: ProviderClient): readonly VendorCheck[] {
  switch (kind) {
    case 'http':
      return [panLookUpCheck(new HttpPanRegistryAdapter(client), 'one call', TEST_PERSON)];
    case 'cashfree':
      return cashfreePanChecks(new CashfreePanClient(client));
    case 'setu':
      return setuPanChecks(new SetuPanClient(client));
  }
}

/** People that the sandbox generates. */
const TEST_PERSON = { pan: 'ABCPK1234F', dateOfBirth: '1990-01-01' };

interface NamedAdapter {
  readonly name: string;
  readonly registry: PanAdapter;
}

/**
 * Tries providers in order: the next one only if the previous one has certainly done nothing. Never after a verdict or
 * an unknown outcome, because the look-up may have been charged.
 */
export class PanRegistries implements PanRegistry {
  private readonly logger = new Logger('PanRegistries');

  constructor(private readonly providers: readonly NamedAdapter[]) {}

  /** @param reference our id of the look-up */
  async lookUp(
    query: PanQuery,
    reference = uuidv7(),
    keep: (paid: PaidPart) => Promise<void> = () => Promise.resolve(),
  ): Promise<PanLookup> {
    const [first, ...others] = this.providers;
    const ask = ({ name, registry }: NamedAdapter): Promise<PanLookup> =>
      registry.lookUp(query, reference, (answer) => keep({ provider: name, answer }));
    let lookup = ask(first!);
    for (const other of others) {
      lookup = lookup.catch((error: unknown) => {
        if (!mayAskAnother(error)) throw error;
        this.logger.warn({ msg: 'another provider is asked about a PAN', provider: other.name });
        return ask(other);
      });
    }
    return lookup;
  }

  async goOn(query: PanQuery, reference: string, { provider, answer }: PaidPart): Promise<PanLookup> {
    const { registry } = this.providers.find(({ name }) => name === provider) ?? {};
    // the settings have changed since
    if (!registry?.goOn) throw new ProviderError(provider, 'timeout', { detail: 'no longer configured' });
    return registry.goOn(query, reference, answer);
  }
}
