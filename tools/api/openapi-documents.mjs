// The OpenAPI documents of the services: where they are kept, and what the built services serve.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { developmentEnvironment } from '../dev/dev-env.mjs';
import { freePort } from '../stores/ports.mjs';
import { until } from '../processes/wait.mjs';
import { appFolder } from '../workspace.mjs';

export const DOCUMENTED_SERVICES = ['users-service', 'master-service'];

/** Where the document of SERVICE is kept, below the root. */
export const documentPath = (service) => `docs/openapi/${service}.json`;

const START_LIMIT_MS = 60_000;

/** Stores that are not there: a service starts and describes itself without them. */
const NO_STORES = { databaseUrl: 'postgres://127.0.0.1:1/none', redisUrl: 'redis://127.0.0.1:1' };

const documentAt = async (url) => {
  const answer = await fetch(url).catch(() => undefined);
  return answer?.ok ? answer.json() : undefined;
};

/** The document that SERVICE, which has been built, serves at /openapi.json. */
export async function servedDocument(service) {
  const port = await freePort();
  const child = spawn(process.execPath, [join(appFolder(service), 'dist/main.js')], {
    env: { ...(await developmentEnvironment(service, NO_STORES)), PORT: String(port), LOG_LEVEL: 'fatal' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const url = `http://127.0.0.1:${port}/openapi.json`;
    const document = await until(() => child.exitCode !== null || documentAt(url), {
      limit: START_LIMIT_MS,
      every: 100,
    });
    if (typeof document !== 'object') throw new Error(`${service} does not start`);
    return document;
  } finally {
    // it holds nothing that would have to be put away
    child.kill('SIGKILL');
  }
}
