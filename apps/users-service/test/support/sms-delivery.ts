import type { Environment } from '@fd/platform';
import { ScriptedProvider } from './scripted-provider.js';
import { startService, type TestService } from './users-app.js';

export interface SmsDelivery {
  readonly service: TestService;
  readonly primary: ScriptedProvider;
  readonly fallback: ScriptedProvider;
  readonly register: (phone: string) => ReturnType<TestService['api']['post']>;
  readonly end: () => Promise<void>;
}

/** Starts a service with a primary and a fallback provider of SMS of its own. */
export async function startSmsDelivery(times: Environment = {}): Promise<SmsDelivery> {
  const primary = await ScriptedProvider.start();
  const fallback = await ScriptedProvider.start();
  const service = await startService({
    SMS_PRIMARY_URL: primary.url,
    SMS_FALLBACK_URL: fallback.url,
    ...times,
  });
  return {
    service,
    primary,
    fallback,
    register: (phone: string) => service.api.post('/auth/register', { phone }),
    end: async () => {
      await service.close();
      await primary.stop();
      await fallback.stop();
    },
  };
}
