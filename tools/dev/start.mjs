// npm start: the whole product on one machine. See start-texts.mjs for what it takes and tells.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../build/build.mjs';
import { developmentEnvironment } from './dev-env.mjs';
import { fired, watchForEnd } from '../processes/endings.mjs';
import { developmentInfra } from '../stores/infra.mjs';
import { withLock } from '../stores/lock.mjs';
import { requireFreePorts } from '../stores/ports.mjs';
import { prepare } from './prepare.mjs';
import { identity, stillLives } from '../processes/processes.mjs';
import { startService } from '../processes/service-process.mjs';
import { baseUrls, help, summary } from './start-texts.mjs';
import { dataPath, portsOf, servicePorts, services } from '../workspace.mjs';

const READY_LIMIT_MS = 60_000;
const names = Object.keys(services);
const say = (line) => console.log(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${line}`);

function readOptions() {
  try {
    const options = {
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    };
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(`${error.message}\n\n${help}`);
    process.exit(2);
  }
}

const runFile = () => join(dataPath(), 'start.json');

/** What another `npm start` of this checkout says of itself, if one lives. */
function otherStart() {
  try {
    const other = JSON.parse(readFileSync(runFile(), 'utf8'));
    return stillLives(other) ? other : undefined;
  } catch {
    return undefined; // none, or one that ended while writing
  }
}

const announce = (state) =>
  writeFileSync(runFile(), JSON.stringify({ ...identity(), ...state, urls: baseUrls(servicePorts()) }));

/** Makes this process the one that runs the product here; returns the other one when there is one already. */
const claim = () =>
  withLock(join(dataPath(), 'start.lock'), async () => {
    const other = otherStart();
    if (other) return other;
    await requireFreePorts(names.flatMap(portsOf), 'npm start');
    announce({ ready: false });
    return undefined;
  });

/** Runs WORK for all services at the same time; when one fails, that is told after the others are through. */
async function forAll(work) {
  const outcomes = await Promise.allSettled(names.map(work));
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  return outcomes.map(({ value }) => value);
}

async function untilReady(running, asked) {
  await forAll(async (_, index) => {
    const service = running[index];
    const ready = await Promise.race([service.ready(READY_LIMIT_MS), fired(asked)]);
    asked.throwIfAborted();
    if (!ready) {
      const story = `${service.service} did not become ready. The end of ${service.logFile}:`;
      throw new Error(`${story}\n${service.tail()}`);
    }
    say(`${service.service} is ready`);
  });
}

/** Brings everything up and returns when the user ends it. STARTED collects what has to be ended then. */
async function run({ verbose }, ending, started) {
  const signal = ending.asked;
  say('Building (the first time takes a while) ...');
  await build(names, { signal });
  say('Starting PostgreSQL and Redis ...');
  const infra = await developmentInfra('npm start', say);
  started.infra = infra;
  signal.throwIfAborted();
  say('Bringing the databases up to date ...');
  const environments = await forAll((service) => developmentEnvironment(service, infra));
  await forAll((service, index) => prepare(service, environments[index], { signal, say }));
  say('Starting the services ...');
  const show = (line) => console.log(line);
  names.forEach((service, index) => {
    started.services.push(startService(service, environments[index], { verbose, show }));
  });
  await untilReady(started.services, signal);
  announce({ ready: true });
  say('Everything is ready. Ctrl-C ends it.');
  console.log(summary(baseUrls(servicePorts())));
  started.isUp = true;
  await untilOver(started.services, signal);
}

async function untilOver(running, asked) {
  const deaths = running.map((service) => service.exited.then((how) => ({ service, how })));
  const death = await Promise.race([fired(asked), ...deaths]);
  if (!death || asked.aborted) return;
  const { service, how } = death;
  throw new Error(
    `${service.service} ended unexpectedly (${how}). The end of ${service.logFile}:\n${service.tail()}`,
  );
}

async function endAll(started, ending) {
  ending.again(() => started.services.forEach((service) => void service.stop('SIGKILL')));
  if (started.services.length > 0) say('Ending the services ...');
  await Promise.all(started.services.map((service) => service.stop()));
  if (started.infra) say('Ending PostgreSQL and Redis ...');
  await started.infra?.release();
  rmSync(runFile(), { force: true });
}

async function main() {
  const options = readOptions();
  if (options.help) return console.log(help);
  const other = await claim();
  if (other) {
    console.log(
      `npm start is ${other.ready ? 'running' : 'on its way up'} in this checkout (pid ${other.pid}).`,
    );
    return console.log(summary(other.urls));
  }
  const ending = watchForEnd();
  const started = { services: [], infra: undefined, isUp: false };
  try {
    await run(options, ending, started);
  } catch (error) {
    // what fails because it was told to end is no failure
    if (!ending.asked.aborted) {
      console.error(`\n${error.message}\n`);
      process.exitCode = 1;
    }
  }
  await endAll(started, ending);
  if (ending.asked.aborted) process.exitCode = started.isUp ? 0 : ending.exitCode();
  say('Ended.');
  process.exit();
}

await main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
