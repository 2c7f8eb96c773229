import { randomUUID } from 'node:crypto';
import type { Database } from '@fd/platform';
import { keysConfig } from '../../src/config/users-config.js';
import { auditCommand } from '../../src/core/audit/audit.command.js';
import { AuditTrail } from '../../src/core/audit/audit-trail.js';
import { type AsOperator, operatorTools } from '../../src/core/audit/operator-tools.js';
import { sealTrail } from '../support/audit.js';
import { WHO } from '../support/operator.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService({});
});
afterAll(() => service.close());

/** Runs `audit list` for a user, and seals what waits after each of its reads; returns the listed actions. */
async function listWhileSealing(subject: string): Promise<(string | undefined)[]> {
  const keys = () => keysConfig(service.environment, 'AUDIT_KEYS');
  const asOperator = operatorTools((work) => work(service.dataSource), keys);
  const whileSealing: AsOperator = (operator, work) =>
    asOperator(operator, (tools) => {
      const query = async (sql: string, parameters: unknown[]): Promise<object[]> => {
        const rows = await tools.database.query<object[]>(sql, parameters);
        if (!sql.startsWith('INSERT')) await sealTrail(service);
        return rows;
      };
      return work({ ...tools, database: { query } as unknown as Database });
    });
  let written = '';
  const output = jest.spyOn(process.stdout, 'write').mockImplementation((text, encoding, done) => {
    written += String(text);
    (typeof encoding === 'function' ? encoding : done)?.();
    return true;
  });
  try {
    await auditCommand((work) => work(service.dataSource), keys, whileSealing).run([
      'list',
      '--user',
      subject,
      ...WHO,
    ]);
  } finally {
    output.mockRestore();
  }
  return written.split('\n').flatMap((line) => line.split('\t')[3] ?? []);
}

describe('audit list', () => {
  it('lists each event once although it is sealed between two reads', async () => {
    const subject = randomUUID();
    await service.app.get(AuditTrail).record(service.database, { action: 'PROFILE_READ', subject });
    await sealTrail(service);
    expect(await listWhileSealing(subject)).toEqual(['PROFILE_READ', 'TRAIL_READ']);
  });
});
