// Memory that a request allocates: at each collection V8 prints the memory allocated since the last one.
import { readFileSync } from 'node:fs';
import { catalogueContenders, startMaster } from './catalogue.mjs';
import { loginContenders, startOutside, startUsers } from './login.mjs';
import { slice } from './rounds.mjs';

const TRACED = { nodeArgs: ['--trace-gc-nvp'] };

/** KiB for each request: { quote, detail, register, verify, profile, pan }. */
export async function measureAllocation({ stores, say, warmUp }) {
  const master = await startMaster(stores, { name: 'master-allocation', ...TRACED });
  const ofCatalogue = await allocatedKiB(await catalogueContenders(master), warmUp, say);
  await master.stop();
  const outside = await startOutside(stores);
  const users = await startUsers(stores, outside, { name: 'users-allocation', ...TRACED });
  const ofLogin = await allocatedKiB(loginContenders(users, outside), warmUp, say);
  await Promise.all([users.stop(), outside.stop()]);
  return { ...ofCatalogue, ...ofLogin };
}

/** Allocation of CONTENDERS (see rounds.mjs), whose servers trace their collections. */
async function allocatedKiB(contenders, count, say) {
  const figures = {};
  for (const counts of [false, true]) {
    for (const contender of contenders) {
      let before;
      const plan = async (requests) => {
        const planned = await contender.plan(requests);
        before = allocatedBytes(contender.server);
        return planned;
      };
      const { answered } = await slice({ ...contender, plan }, count);
      if (counts) figures[contender.name] = (allocatedBytes(contender.server) - before) / answered / 1_024;
    }
  }
  for (const [name, kib] of Object.entries(figures)) say(`${name}: ${Math.round(kib)} KiB each`);
  return figures;
}

function allocatedBytes({ logFile }) {
  const printed = [...readFileSync(logFile, 'utf8').matchAll(/\ballocated=(\d+)/g)];
  return printed.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}
