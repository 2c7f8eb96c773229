import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { migrate, runCli } from '@fd/platform';
import { apiKeysCommand } from './api-keys/api-keys.command.js';
import { importCommand } from './catalogue/import/import.command.js';
import { databaseConfig, environment, isProduction } from './config/master-config.js';
import { CATALOGUE_DATABASE } from './database/definition.js';
import { withDatabase } from './database/with-database.js';
import { runQuoteCommand } from './quotes/quote.command.js';

const database = () => databaseConfig(environment);

await runCli(
  'master-service',
  [
    {
      name: 'migrate',
      usage: '',
      summary: 'Applies the migrations that are due. Safe to run from several places at once.',
      run: async () => {
        const applied = await migrate(database(), CATALOGUE_DATABASE);
        process.stdout.write(applied.length ? `applied ${applied.join(', ')}\n` : 'nothing to migrate\n');
        return 0;
      },
    },
    importCommand(withDatabase(database)),
    apiKeysCommand(withDatabase(database), () => isProduction(environment)),
    {
      name: 'quote',
      usage: '--file FILE',
      summary: 'Quotes the deposits of a JSON file, by the code that serves requests. Needs no database.',
      run: (args) =>
        runQuoteCommand(args, {
          readFile: (path) => readFileSync(path, 'utf8'),
          stdout: (text) => void process.stdout.write(text),
          stderr: (text) => void process.stderr.write(text),
        }),
    },
  ],
  process.argv.slice(2),
);
