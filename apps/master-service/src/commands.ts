import 'reflect-metadata';
import { isProduction, migrateCommand, ownerDatabaseConfig, runCli, withDatabase } from '@fd/platform';
import { apiKeysCommand } from './api-keys/api-keys.command.js';
import { compareFineractCommand } from './catalogue/fineract/compare.command.js';
import { importCommand } from './catalogue/import/import.command.js';
import { commandDatabaseConfig, environment } from './config/master-config.js';
import { CATALOGUE_DATABASE } from './database/definition.js';
import { quoteCommand } from './quotes/quote.command.js';

const withCatalogue = withDatabase(() => commandDatabaseConfig(environment), CATALOGUE_DATABASE);

await runCli(
  'master-service',
  [
    migrateCommand(() => ownerDatabaseConfig(environment), CATALOGUE_DATABASE),
    importCommand(withCatalogue),
    compareFineractCommand(environment),
    apiKeysCommand(withCatalogue, () => isProduction(environment)),
    quoteCommand,
  ],
  process.argv.slice(2),
);
