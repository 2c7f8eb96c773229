import type { DatabaseConfig } from '../config/common-settings.js';
import type { DatabaseDefinition } from '../database/database.module.js';
import { migrate } from '../database/migrate.js';
import type { Command } from './run-cli.js';

/** The command that every service with a database has. */
export function migrateCommand(config: () => DatabaseConfig, definition: DatabaseDefinition): Command {
  return {
    name: 'migrate',
    usage: '',
    summary: 'Applies the migrations that are due. Safe to run from several places at once.',
    run: async () => {
      const applied = await migrate(config(), definition);
      process.stdout.write(applied.length ? `applied ${applied.join(', ')}\n` : 'nothing to migrate\n');
      return 0;
    },
  };
}
