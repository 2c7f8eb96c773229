// How much a request allocates: V8 tells at each collection what has been allocated since the one before.
import { readFileSync } from 'node:fs';
import { catalogueContenders, startMaster } from './catalogue.mjs';
import { loginContenders, startOutside, startUsers } from './login.mjs';
import { measure } from './measure.mjs';

const WARM_UP_SECONDS = 3;
const SECONDS = 4;
const CONNECTIONS = 20;
const TRACED = { nodeArgs: ['--trace-gc-nvp'] };

/** KiB for each of our requests: { quote, detail, register, verify, profile, pan }. */
export async function measureAllocation({ stores, say }) {
  const master = await startMaster(stores, { name: 'master-allocation', ...TRACED });
  const ofCatalogue = await allocatedKiB(await catalogueContenders(master), say);
  await master.stop();
  const outside = await startOutside(stores);
  const users = await startUsers(stores, outside, { name: 'users-allocation', ...TRACED });
  const ofLogin = await allocatedKiB(loginContenders(users, outside), say);
  await Promise.all([users.stop(), outside.stop()]);
  return { ...ofCatalogue, ...ofLogin };
}

/** Of CONTENDERS as in rounds.mjs, whose servers trace their collections. */
async function allocatedKiB(contenders, say) {
  const figures = {};
  for (const seconds of [WARM_UP_SECONDS, SECONDS]) {
    for (const { name, server, plan, after } of contenders) {
      const before = allocatedBytes(server);
      const report = await measure(server, { ...(await plan(seconds)), connections: CONNECTIONS, seconds });
      figures[name] = (allocatedBytes(server) - before) / report.answered / 1_024;
      await after?.(report);
    }
  }
  for (const [name, kib] of Object.entries(figures)) say(`${name}: ${Math.round(kib)} KiB each`);
  return figures;
}

function allocatedBytes({ logFile }) {
  const told = [...readFileSync(logFile, 'utf8').matchAll(/\ballocated=(\d+)/g)];
  return told.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}
