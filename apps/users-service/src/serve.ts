import 'reflect-metadata';
import { ConfigError, runService } from '@fd/platform';
import { AppModule } from './app.module.js';
import { environment, usersConfig } from './config/index.js';
import { USERS_SERVICE } from './service.js';

try {
  const config = usersConfig(environment);
  await runService(AppModule.forRoot(config), config.http, USERS_SERVICE);
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}
