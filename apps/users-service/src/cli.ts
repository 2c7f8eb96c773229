import 'reflect-metadata';
import { migrateCommand, runCli, withDatabase } from '@fd/platform';
import { auditCommand, operatorTrail, piiCommand } from './core/index.js';
import { auditKeysConfig, databaseConfig, environment, piiKeysConfig } from './config/index.js';
import { ONBOARDING_DATABASE } from './onboarding-database.js';
import { journeyDocsCommand } from './journey/index.js';
import { partnersCommand } from './identity/index.js';

const database = () => databaseConfig(environment);
const auditKeys = () => auditKeysConfig(environment);
const asOperator = operatorTrail(auditKeys);

await runCli(
  'users-service',
  [
    migrateCommand(database, ONBOARDING_DATABASE),
    partnersCommand(withDatabase(database, ONBOARDING_DATABASE), asOperator),
    piiCommand(withDatabase(database, ONBOARDING_DATABASE), () => piiKeysConfig(environment), asOperator),
    auditCommand(withDatabase(database, ONBOARDING_DATABASE), auditKeys, asOperator),
    journeyDocsCommand,
  ],
  process.argv.slice(2),
);
