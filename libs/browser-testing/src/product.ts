import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type RunningProcess, ServiceProcesses, TcpProxy, testRedis } from '@fd/testing';

const ROOT = join(import.meta.dirname, '../../..');
const API_KEY = 'sandbox-api-key';
const PARTNER = 'https://app.partner.example';
const BY = ['--by', 'a-test', '--reason', 'TEST'];

type Settings = Readonly<Record<string, string | undefined>>;

/** The built services and the built sandbox, as they run on a developer's machine. */
export interface Product {
  readonly sandbox: string;
  readonly usersService: RunningProcess;
  readonly masterService: RunningProcess;
  /** Lets the partner get events at the sandbox, as `npm start` does. */
  subscribe(): Promise<void>;
  close(): Promise<void>;
}

/** The published settings of the containers, for one machine. */
function exampleSettings(): Settings {
  const lines = readFileSync(join(ROOT, 'docker/example.env'), 'utf8').split('\n');
  const given = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    given.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

async function run(service: ServiceProcesses, ...args: string[]): Promise<string> {
  const { code, err, out } = await service.spawnCli({}, ...args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${err} ${out}`);
  return out;
}

/** With the sandbox's actual addresses. */
async function outsideSettings(sandbox: string): Promise<Settings> {
  const { smtp } = (await (await fetch(`${sandbox}/api/ports`)).json()) as { smtp: number };
  const moved = Object.entries(exampleSettings()).map(([name, value]) => [
    name,
    value?.replace('http://sandbox:3003', sandbox).replace('smtp://sandbox:2525', `smtp://127.0.0.1:${smtp}`),
  ]);
  return Object.fromEntries(moved) as Settings;
}

/**
 * @param origins of further pages that may call the services
 * @param settings of both services
 */
export async function startProduct(
  origins: readonly string[] = [],
  settings: Settings = {},
): Promise<Product> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.reverse()) await end();
  };
  try {
    return { ...(await startAll(closing, origins, settings)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param closing collects functions that stop the started processes */
async function startAll(
  closing: (() => Promise<unknown>)[],
  origins: readonly string[],
  settings: Settings,
): Promise<Omit<Product, 'close'>> {
  const database = await createTestDatabase();
  closing.push(() => database.drop());
  const redis = testRedis();
  const started = (app: string, settings: Settings): ServiceProcesses => {
    const base = { NODE_ENV: 'development', SHUTDOWN_DELAY_SECONDS: '0', ...settings, HOST: '127.0.0.1' };
    const processes = new ServiceProcesses(join(ROOT, 'apps', app, 'dist'), base);
    closing.push(() => processes.killAll());
    return processes;
  };
  // each needs the others' addresses before it starts
  const [toUsers, toMaster] = await Promise.all([nowhere(), nowhere()]);
  closing.push(() => Promise.all([toUsers.close(), toMaster.close()]));
  const places = { USERS_BASE_URL: withoutSlash(toUsers.url), MASTER_BASE_URL: withoutSlash(toMaster.url) };
  const folder = mkdtempSync(join(tmpdir(), 'fd-product-'));
  closing.push(() => Promise.resolve(rmSync(folder, { recursive: true })));
  const eventsFile = join(folder, 'events.json');
  const ports = { HTTPS_PORT: '0', SMTP_PORT: '0' };
  const sandbox = await started('sandbox', { ...places, ...ports, PARTNER_EVENTS_FILE: eventsFile }).start();
  const stores = { DATABASE_URL: database.url, REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.keyPrefix };
  const shared = {
    ...(await outsideSettings(sandbox.url)),
    ...stores,
    ...settings,
    CORS_ORIGINS: [sandbox.url, ...origins].join(),
  };
  const users = started('users-service', { ...shared, EVENTS_TO_LOCAL_ADDRESSES: 'true' });
  const [usersService, masterService] = await Promise.all([
    startUsers(users),
    startMaster(started('master-service', shared)),
  ]);
  toUsers.redirect(usersService.url);
  toMaster.redirect(masterService.url);
  const subscribe = () => subscribePartner(users, `${sandbox.url}/partner/events`, eventsFile);
  return { sandbox: sandbox.url, usersService, masterService, subscribe };
}

/** @param file where the sandbox reads the secret and the key of the partner's backend */
async function subscribePartner(users: ServiceProcesses, address: string, file: string): Promise<void> {
  const ofPartner = ['--url', PARTNER, ...BY];
  const set = await run(users, 'events', 'set', '--address', address, ...ofPartner);
  const added = await run(users, 'events', 'add-key', ...ofPartner);
  const secret = /^secret\t(\S+)$/m.exec(set)?.[1];
  const key = /^key\t\S+\t(\S+)$/m.exec(added)?.[1];
  writeFileSync(file, JSON.stringify({ secret, key }));
}

const nowhere = (): Promise<TcpProxy> => TcpProxy.before('http://127.0.0.1:1');
const withoutSlash = (url: string): string => url.replace(/\/$/, '');

async function startUsers(users: ServiceProcesses): Promise<RunningProcess> {
  await run(users, 'migrate');
  const publicKey = join(ROOT, 'docker/example-partner.jwk.json');
  await run(
    users,
    'partners',
    'create',
    '--name',
    'Sample app',
    '--url',
    PARTNER,
    '--public-key',
    publicKey,
    ...BY,
  );
  return users.start();
}

async function startMaster(masters: ServiceProcesses): Promise<RunningProcess> {
  await run(masters, 'migrate');
  await run(masters, 'catalogue:import', join(ROOT, 'apps/master-service/catalogue'), '--apply', ...BY);
  await run(masters, 'api-keys', 'create', '--client', 'sandbox', '--key', API_KEY, ...BY);
  return masters.start();
}
