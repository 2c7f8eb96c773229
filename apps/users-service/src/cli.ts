import 'reflect-metadata';
import { migrateCommand, runCli, withDatabase } from '@fd/platform';
import { databaseConfig, environment } from './config/users-config.js';
import { ONBOARDING_DATABASE } from './database/definition.js';
import { partnersCommand } from './partners/partners.command.js';

const database = () => databaseConfig(environment);

await runCli(
  'users-service',
  [
    migrateCommand(database, ONBOARDING_DATABASE),
    partnersCommand(withDatabase(database, ONBOARDING_DATABASE)),
  ],
  process.argv.slice(2),
);
