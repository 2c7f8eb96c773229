// How much a request allocates: V8 tells at each collection what has been allocated since the one before.
import { readFileSync } from 'node:fs';
import { measure } from './measure.mjs';

const WARM_UP_SECONDS = 3;
const SECONDS = 4;

function allocatedBytes(log) {
  const told = [...log.matchAll(/\ballocated=(\d+)/g)];
  return told.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

/** KiB that each of REQUESTS allocates on the server that START(nodeArgs) starts and that this ends. */
export async function measureAllocation(start, requests, plan = {}) {
  const server = await start(['--trace-gc-nvp']);
  const load = { requests, connections: 20, ...plan };
  await measure(server, { ...load, seconds: WARM_UP_SECONDS });
  const before = allocatedBytes(readFileSync(server.logFile, 'utf8'));
  const { answered } = await measure(server, { ...load, seconds: SECONDS });
  const after = allocatedBytes(readFileSync(server.logFile, 'utf8'));
  await server.stop();
  return (after - before) / answered / 1_024;
}
