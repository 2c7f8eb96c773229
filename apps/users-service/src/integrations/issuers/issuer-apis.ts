import { Injectable } from '@nestjs/common';
import {
  type Issuer,
  type IssuerApiFormat,
  type IssuerSettings,
  JourneyConfig,
  ProvidersConfig,
} from '../../config/index.js';
import { type ProviderClient, ProviderClients } from '../providers/provider-client.js';
import { ownFormat, type ProviderEndpoint } from '../providers/http-exchange.js';
import { CoreBankingIssuer } from './adapters/core-banking/core-banking-issuer.adapter.js';
import { FineractClient } from './adapters/fineract/fineract-client.js';
import { FineractIssuer } from './adapters/fineract/fineract-issuer.adapter.js';
import { fineract } from './adapters/fineract/fineract.js';
import { RestIssuer } from './adapters/rest/rest-issuer.adapter.js';
import type { IssuerApi } from './issuer-api.port.js';

export const hasLeads = ({ steps }: Issuer): boolean => steps.includes('LEAD');

/** Adapters by the wire format that an issuer's file names. */
const ADAPTERS: Readonly<Record<IssuerApiFormat, (client: ProviderClient, issuer: Issuer) => IssuerApi>> = {
  rest: (client, issuer) => new RestIssuer(client, { hasLeads: hasLeads(issuer) }),
  'core-banking': (client) => new CoreBankingIssuer(client),
};

/** The issuers' APIs, each through the adapter of its wire format or of the configured system. */
@Injectable()
export class IssuerApis {
  private readonly apis: ReadonlyMap<string, IssuerApi>;

  /** @throws Error for an issuer with a step that its wire format lacks: the service must not start */
  constructor(
    private readonly clients: ProviderClients,
    private readonly config: ProvidersConfig,
    { issuers }: JourneyConfig,
  ) {
    this.apis = new Map(issuers.map((issuer) => [issuer.slug, this.apiOf(issuer)]));
    for (const issuer of issuers) {
      if (hasLeads(issuer) && !this.forIssuer(issuer).leads)
        throw new Error(`${issuer.slug}: its API has no leads`);
    }
  }

  forIssuer({ slug }: Issuer): IssuerApi {
    return this.apis.get(slug)!;
  }

  private apiOf(issuer: Issuer): IssuerApi {
    const settings = this.config.issuerOf(issuer.slug);
    const endpoint = issuerEndpoint(settings);
    if (settings.kind === 'http') return ADAPTERS[issuer.api](this.clients.at(endpoint), issuer);
    const client = this.clients.at(endpoint, settings.timeoutMs);
    return new FineractIssuer(new FineractClient(client), settings);
  }
}

export const issuerEndpoint = (settings: IssuerSettings): ProviderEndpoint =>
  settings.kind === 'http' ? ownFormat(settings) : fineract(settings);
