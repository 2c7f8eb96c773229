import 'reflect-metadata';
import { ConfigError, runService } from '@fd/platform';
import { AppModule } from './app.module.js';
import { environment, masterConfig } from './config/master-config.js';
import { MASTER_SERVICE } from './service.js';

try {
  const config = masterConfig(environment);
  await runService(AppModule.forRoot(config), config.http, MASTER_SERVICE);
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}
