import { Logger } from '@nestjs/common';
import type { Environment } from '@fd/platform';
import { Registry } from 'prom-client';
import { usersConfig } from '../../src/config/users-config.js';
import { IssuerApis } from '../../src/integrations/issuers/issuer-apis.js';
import { IssuerDirectory } from '../../src/integrations/issuers/issuer-directory.js';
import { ProviderClients } from '../../src/integrations/providers/provider-client.js';
import { sandboxUrl } from './sandbox.config.js';
import { providerSettings, settings } from './settings.js';

/** The issuers' APIs as the service reaches them, without the service: with nothing open in their breakers. */
export function issuerApis(overrides: Environment = {}): IssuerApis {
  // failures are what these are made for
  Logger.overrideLogger(false);
  const { providers, journey } = usersConfig(settings({ ...providerSettings(sandboxUrl()), ...overrides }));
  const clients = new ProviderClients(providers, new Registry());
  return new IssuerApis(clients, providers, new IssuerDirectory(journey));
}
