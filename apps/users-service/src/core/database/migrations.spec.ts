import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as migrations from './migrations.js';

describe('migrations', () => {
  it('lists every file of the folder', () => {
    const files = readdirSync(join(import.meta.dirname, 'migrations'));
    const times = files.flatMap((file) => /^\d{13}/.exec(file) ?? []);
    expect(
      Object.values(migrations)
        .map(({ name }) => name.slice(-13))
        .sort(),
    ).toEqual(times.sort());
  });
});
