// Time from the start of a process until it is ready, on a migrated database.
import { startMaster } from './catalogue.mjs';
import { startOutside, startUsers } from './login.mjs';
import { spread } from './measure.mjs';

export async function measureStarts({ stores, say, rounds }) {
  const outside = await startOutside(stores);
  const starts = {
    'users-service': () => startUsers(stores, outside),
    'master-service': () => startMaster(stores),
  };
  const figures = {};
  for (const [service, start] of Object.entries(starts)) {
    const readyMs = [];
    for (let round = 0; round < rounds; round++) {
      const server = await start();
      readyMs.push(server.readyAfterMs);
      await server.stop();
    }
    figures[service] = { readyMs: spread(readyMs) };
    say(`${service}: ready after ${Math.round(figures[service].readyMs.median)} ms`);
  }
  await outside.stop();
  return figures;
}
