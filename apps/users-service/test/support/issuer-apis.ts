import { Logger } from '@nestjs/common';
import type { Environment } from '@fd/platform';
import { Registry } from 'prom-client';
import { usersConfig } from '../../src/config/users-config.js';
import { IssuerApis } from '../../src/integrations/issuers/issuer-apis.js';
import { ProviderClients } from '../../src/integrations/providers/provider-client.js';
import { sandboxUrl } from './sandbox.config.js';
import { providerSettings, settings } from './settings.js';

/** Builds the issuer clients as the service does, but without the service and with closed circuit breakers. */
export function issuerApis(overrides: Environment = {}): IssuerApis {
  // tests provoke failures here, so their log lines are noise
  Logger.overrideLogger(false);
  const { providers, journey } = usersConfig(settings({ ...providerSettings(sandboxUrl()), ...overrides }));
  const clients = new ProviderClients(providers, new Registry());
  return new IssuerApis(clients, providers, journey);
}
