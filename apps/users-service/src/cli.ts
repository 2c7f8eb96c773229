import 'reflect-metadata';
import { migrateCommand, runCli, withDatabase } from '@fd/platform';
import { auditCommand, operatorTrail } from './audit/audit.command.js';
import { auditKeysConfig, databaseConfig, environment, piiKeysConfig } from './config/users-config.js';
import { ONBOARDING_DATABASE } from './database/definition.js';
import { journeyDocsCommand } from './journey/journey-docs.command.js';
import { partnersCommand } from './partners/partners.command.js';
import { piiCommand } from './pii/pii.command.js';

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
