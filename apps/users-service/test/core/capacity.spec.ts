import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '../support/users-app.js';

const PAGE = join(import.meta.dirname, '../../../../docs/capacity.md');

/** Unique indexes of tables, without those of partitions, whose columns lack the user: `table (columns)`. */
const WITHOUT_USER = `
  SELECT format('%s (%s)', t.relname, string_agg(a.attname, ', ' ORDER BY k.place)) AS index
    FROM pg_index i
    JOIN pg_class t ON t.oid = i.indrelid AND NOT t.relispartition
    JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = 'onboarding'
    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
   WHERE i.indisunique
   GROUP BY t.relname, i.indexrelid
  HAVING NOT bool_or(a.attname = 'user_id')`;

describe('docs/capacity.md', () => {
  it('plans each unique index without user_id for a PostgreSQL that is distributed by user', async () => {
    const service = await startService();
    const rows = await service.dataSource.query<{ index: string }[]>(WITHOUT_USER);
    const planned = readFileSync(PAGE, 'utf8').matchAll(/^\| `(\w+ \([\w, ]+\))` *\| \S/gm);
    expect([...planned].map(([, index]) => index!).sort()).toEqual(rows.map(({ index }) => index).sort());
    await service.close();
  });
});
