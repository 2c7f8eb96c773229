import { Injectable } from '@nestjs/common';
import type { Issuer, IssuerApiFormat } from '../../config/index.js';
import { type ProviderClient, ProviderClients } from '../providers/provider-client.js';
import { CoreBankingIssuer } from './adapters/core-banking/core-banking-issuer.adapter.js';
import { RestIssuer } from './adapters/rest/rest-issuer.adapter.js';
import type { IssuerApi } from './issuer-api.port.js';
import { IssuerDirectory } from './issuer-directory.js';

/** Whether an issuer's journey begins with a lead. */
export const hasLeads = ({ steps }: Issuer): boolean => steps.includes('LEAD');

/** The adapter of each wire format. */
const ADAPTERS: Readonly<Record<IssuerApiFormat, (client: ProviderClient, issuer: Issuer) => IssuerApi>> = {
  rest: (client, issuer) => new RestIssuer(client, { hasLeads: hasLeads(issuer) }),
  'core-banking': (client) => new CoreBankingIssuer(client),
};

/** The issuers' own APIs, each through the adapter of its wire format. */
@Injectable()
export class IssuerApis {
  private readonly apis: ReadonlyMap<string, IssuerApi>;

  /** @throws Error for an issuer with a step that its wire format cannot do: such a service must not start */
  constructor(clients: ProviderClients, { all }: IssuerDirectory) {
    this.apis = new Map(
      all.map((issuer) => [issuer.slug, ADAPTERS[issuer.api](clients.ofIssuer(issuer.slug), issuer)]),
    );
    for (const issuer of all) {
      if (hasLeads(issuer) && !this.of(issuer).leads) {
        throw new Error(`${issuer.slug}: ${issuer.api} has no leads`);
      }
    }
  }

  of({ slug }: Issuer): IssuerApi {
    return this.apis.get(slug)!;
  }
}
