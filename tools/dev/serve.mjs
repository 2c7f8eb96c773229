// node tools/dev/serve.mjs SERVICE, the target of `nx serve`: runs one built service and restarts it whenever its
// compiled files or those of a library change. Compiling them is the job of the target "watch".
import { spawn } from 'node:child_process';
import { developmentEnvironment } from './dev-env.mjs';
import { fired, watchForEnd } from '../processes/endings.mjs';
import { developmentInfra } from '../stores/infra.mjs';
import { requireFreePorts } from '../stores/ports.mjs';
import { prepare } from './prepare.mjs';
import { end, groupWill, signal } from '../processes/processes.mjs';
import { appFolder, portsOf, servicePorts, services } from '../workspace.mjs';

const say = (line) => console.log(`[serve] ${line}`);

/** Runs the service until it is told to end; it is restarted in between, and waits for a change after a crash. */
async function watch(service, env, asked) {
  const args = ['--watch', '--watch-preserve-output', '--enable-source-maps', 'dist/main.js'];
  const child = spawn(process.execPath, args, {
    cwd: appFolder(service),
    env,
    // a group of its own: Ctrl-C reaches us, and we end it in order
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const callOffWill = groupWill(child.pid);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await Promise.race([fired(asked), exited]);
  await end(child.pid, 'SIGTERM', 25_000);
  signal(-child.pid, 'SIGKILL'); // should the watcher have left its service behind
  await callOffWill();
}

async function serve(service) {
  await requireFreePorts(portsOf(service), `nx serve ${service}`);
  const ending = watchForEnd();
  const { release, ...urls } = await developmentInfra(`nx serve ${service}`, say);
  try {
    const env = await developmentEnvironment(service, urls);
    await prepare(service, env, { signal: ending.asked, say });
    say(`${service} on http://localhost:${servicePorts()[service]}`);
    if (service === 'users-service')
      say('its outside world is the sandbox: "nx serve sandbox" in another terminal');
    await watch(service, env, ending.asked);
  } catch (error) {
    if (!ending.asked.aborted) throw error;
  } finally {
    await release();
  }
  process.exit(ending.exitCode());
}

const service = process.argv[2];
if (!Object.hasOwn(services, service ?? '')) {
  console.error(`Usage: node tools/dev/serve.mjs ${Object.keys(services).join(' | ')}`);
  process.exit(2);
}
await serve(service).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
