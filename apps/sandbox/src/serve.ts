import 'reflect-metadata';
import { ConfigError, runService } from '@fd/platform';
import { AppModule } from './app.module.js';
import { environment, sandboxConfig } from './config/sandbox-config.js';
import { SANDBOX } from './service.js';

try {
  const config = sandboxConfig(environment);
  await runService(AppModule.forRoot(config), config.http, SANDBOX);
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}
