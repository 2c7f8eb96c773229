// npm start: the whole product on one machine. Arguments and output are in start-texts.mjs.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from '../bootstrap.mjs';
import { build } from '../build/build.mjs';
import { buildGuide } from '../build/guide.mjs';
import { developmentEnvironment, vendorSettings } from './dev-env.mjs';
import { fired, watchForEnd } from '../processes/endings.mjs';
import { developmentInfra } from '../stores/infra.mjs';
import { ownerOf, withLock } from '../stores/lock.mjs';
import { requireFreePorts } from '../stores/ports.mjs';
import { prepare } from './prepare.mjs';
import { identity, stillLives } from '../processes/processes.mjs';
import { startService } from '../processes/service-process.mjs';
import { help, summary } from './start-texts.mjs';
import { baseUrl, dataPath, portsOf, services } from '../workspace.mjs';

const READY_LIMIT_MS = 180_000;
const say = (line) => console.log(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${line}`);

function readOptions() {
  const flag = { type: 'boolean', default: false };
  try {
    const { vendors = '', ...options } = parseArgs({
      options: { verbose: flag, vendors: { type: 'string' }, help: flag },
    }).values;
    const names = vendors.split(',').filter(Boolean);
    Object.assign(process.env, vendorSettings(names));
    return { ...options, vendors: names.join(',') };
  } catch (error) {
    console.error(`${error.message}\n\n${help}`);
    process.exit(2);
  }
}

const baseUrls = () => Object.fromEntries(services.map((name) => [name, baseUrl(name)]));

const runFile = () => join(dataPath(), 'start.json');

const announce = (state) =>
  writeFileSync(runFile(), JSON.stringify({ ...identity(), ...state, urls: baseUrls() }));

const withVendors = (vendors) => (vendors ? `npm start -- --vendors=${vendors}` : 'npm start');

const requireOwnPorts = (vendors) => requireFreePorts(services.flatMap(portsOf), withVendors(vendors));

/** Registers this process as the only `npm start` of this checkout. Returns the other process if there is one. */
const claim = ({ vendors }) =>
  withLock(join(dataPath(), 'start.lock'), async () => {
    const other = ownerOf(runFile());
    if (stillLives(other)) return other;
    await requireOwnPorts(vendors);
    announce({ ready: false, vendors });
    return undefined;
  });

/** Says where the OTHER npm start runs. @throws Error if the user asks for what it does not have */
function pointTo(other, { vendors }) {
  const state = other.ready ? 'running' : 'starting';
  console.log(`npm start is ${state} in this checkout (pid ${other.pid}).\n${summary(other.urls)}`);
  const isElsewhere = services.some((name) => portsOf(name)[0].isGiven && baseUrl(name) !== other.urls[name]);
  if (isElsewhere || (vendors && vendors !== other.vendors))
    throw new Error(
      `It runs at these addresses, with --vendors=${other.vendors || '(none)'}: end it first (Ctrl-C), then repeat this command.`,
    );
}

/** Runs WORK for all of LIST in parallel. @throws the first error, after all have ended */
async function forAll(list, work) {
  const outcomes = await Promise.allSettled(list.map(work));
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  return outcomes.map(({ value }) => value);
}

/** How SERVICE ended, or that it is not ready, and what its log says of it. */
function failure({ service, logFile, tail, how }) {
  const what = how() ? `ended (${how()})` : `was not ready within ${READY_LIMIT_MS / 1_000} seconds`;
  const end = tail();
  const log = end ? `The end of its log, ${logFile}:\n${end}` : `Its log is empty: ${logFile}`;
  return new Error(`${service} ${what}. ${log}`);
}

/** Starts everything and returns when the user ends it. Adds everything that must be ended then to STARTED. */
async function run({ verbose, vendors }, signal, started) {
  say('Building (the first time takes a while) ...');
  await build(services, { signal });
  say('Starting PostgreSQL and Redis ...');
  const infra = (started.infra = await developmentInfra('npm start', say));
  signal.throwIfAborted();
  say('Bringing the databases up to date ...');
  const environments = await forAll(services, (name) => developmentEnvironment(name, infra));
  await forAll(services, (name, index) =>
    prepare(name, environments[index], { stamps: infra.stamps, signal, say }),
  );
  // another checkout may have started meanwhile, whose services would answer for ours
  await requireOwnPorts(vendors);
  say('Starting the services ...');
  for (const [index, name] of services.entries())
    started.services.push(startService(name, environments[index], { verbose, show: console.log }));
  await forAll(started.services, async (service) => {
    const ready = await Promise.race([service.ready(READY_LIMIT_MS), fired(signal)]);
    signal.throwIfAborted();
    if (!ready) throw failure(service);
    say(`${service.service} is ready`);
  });
  announce({ ready: true, vendors });
  say('Everything is ready. Ctrl-C stops everything.');
  console.log(summary(baseUrls()));
  started.isUp = true;
  void announceGuide(signal);
  const deaths = started.services.map((service) => service.exited.then(() => service));
  const dead = await Promise.race([fired(signal), ...deaths]);
  if (dead && !signal.aborted) throw failure(dead);
}

/** Builds the guide in the background when it is stale; nothing depends on it. */
async function announceGuide(signal) {
  const url = `${baseUrl('sandbox')}/guide/`;
  try {
    if (await buildGuide({ signal })) say(`The guide is built: ${url}`);
  } catch (error) {
    if (!signal.aborted) say(`${error.message}\nThe guide is not built; "npm run guide" tries again.`);
  }
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
  // its name in lists of processes
  process.title = 'fd-start';
  const options = readOptions();
  if (options.help) return console.log(help);
  await install();
  const other = await claim(options);
  if (other) return pointTo(other, options);
  const ending = watchForEnd();
  const started = { services: [], infra: undefined, isUp: false };
  try {
    await run(options, ending.asked, started);
  } catch (error) {
    // an error after the request to end is ignored
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
