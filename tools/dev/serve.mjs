// node tools/dev/serve.mjs SERVICE, the target of `nx serve`: runs one built service and restarts it whenever its
// compiled files or those of a library change. Compiling them is the job of the target "watch".
import { developmentEnvironment } from './dev-env.mjs';
import { fired, watchForEnd } from '../processes/endings.mjs';
import { developmentInfra } from '../stores/infra.mjs';
import { requireFreePorts } from '../stores/ports.mjs';
import { prepare } from './prepare.mjs';
import { startService } from '../processes/service-process.mjs';
import { serveHints } from './start-texts.mjs';
import { baseUrl, portsOf, services } from '../workspace.mjs';

const say = (line) => console.log(`[serve] ${line}`);

async function serve(service) {
  await requireFreePorts(portsOf(service), `nx serve ${service}`);
  const ending = watchForEnd();
  const { release, stamps, ...urls } = await developmentInfra(`nx serve ${service}`, say);
  try {
    const env = await developmentEnvironment(service, { ...urls, stamps });
    await prepare(service, env, { stamps, signal: ending.asked, say });
    say(`${service} on ${baseUrl(service)}`);
    for (const hint of serveHints[service] ?? []) say(hint);
    // the service is restarted on a change; after a crash it waits for one
    const running = startService(service, env, { isWatched: true, verbose: true, show: console.log });
    await Promise.race([fired(ending.asked), running.exited]);
    await running.stop();
  } catch (error) {
    if (!ending.asked.aborted) throw error;
  } finally {
    await release();
  }
  process.exit(ending.exitCode());
}

const service = process.argv[2];
if (!services.includes(service)) {
  console.error(`Usage: node tools/dev/serve.mjs ${services.join(' | ')}`);
  process.exit(2);
}
await serve(service).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
