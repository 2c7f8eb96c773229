import 'reflect-metadata';
import { migrate, runCli } from '@fd/platform';
import { databaseConfig, environment } from './config/users-config.js';
import { ONBOARDING_DATABASE } from './database/definition.js';
import { partnersCommand } from './partners/partners.command.js';

const database = () => databaseConfig(environment);

await runCli(
  'users-service',
  [
    {
      name: 'migrate',
      usage: '',
      summary: 'Applies the migrations that are due. Safe to run from several places at once.',
      run: async () => {
        const applied = await migrate(database(), ONBOARDING_DATABASE);
        process.stdout.write(applied.length ? `applied ${applied.join(', ')}\n` : 'nothing to migrate\n');
        return 0;
      },
    },
    partnersCommand(database),
  ],
  process.argv.slice(2),
);
