import { Injectable } from '@nestjs/common';
import type { Issuer, IssuerApiFormat } from '../../config/index.js';
import type { ProviderClient } from '../providers/provider-client.js';
import { ProviderClients } from '../providers/provider-clients.js';
import { coreBankingIssuerApi } from './adapters/core-banking/core-banking-issuer.adapter.js';
import { restIssuerApi } from './adapters/rest/rest-issuer.adapter.js';
import type { IssuerApi } from './issuer-api.port.js';
import { IssuerDirectory } from './issuer-directory.js';

/** Whether an issuer's journey begins with a lead. */
export const hasLeads = ({ steps }: Issuer): boolean => steps.includes('LEAD');

/** The adapter of each wire format. */
const ADAPTERS: Readonly<Record<IssuerApiFormat, (client: ProviderClient, issuer: Issuer) => IssuerApi>> = {
  rest: (client, issuer) => restIssuerApi(client, { hasLeads: hasLeads(issuer) }),
  'core-banking': (client) => coreBankingIssuerApi(client),
};

/** The issuers' own APIs, each through the adapter of its wire format. */
@Injectable()
export class IssuerApis {
  private readonly apis = new Map<string, IssuerApi>();

  /** @throws Error for an issuer with a step that its wire format cannot do: such a service must not start */
  constructor(
    private readonly clients: ProviderClients,
    directory: IssuerDirectory,
  ) {
    for (const issuer of directory.all) {
      const { leads } = this.of(issuer);
      if (hasLeads(issuer) && !leads) throw new Error(`${issuer.slug}: ${issuer.api} has no leads`);
    }
  }

  of(issuer: Issuer): IssuerApi {
    const known = this.apis.get(issuer.slug);
    if (known) return known;
    const client = this.clients.ofIssuer(issuer.slug);
    const api = ADAPTERS[issuer.api](client, issuer);
    this.apis.set(issuer.slug, api);
    return api;
  }
}
