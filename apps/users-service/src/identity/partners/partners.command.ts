import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isHttpUrl } from '@fd/contracts';
import { type Command, CommandError, type WithDatabase } from '@fd/platform';
import { type DataSource, type FindOptionsWhere, IsNull } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { AuditAction, AuditTrail, OperatorTrail } from '../../core/index.js';
import { idOfKey, type PartnerPublicKey, parsePublicKey } from './partner-public-key.js';
import { normalisePartnerUrl, Partner } from './partner.entity.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** What a change of partners is made with. */
interface Tools {
  readonly dataSource: DataSource;
  readonly trail: AuditTrail;
}

const CHANGES: Readonly<Record<string, (tools: Tools, args: string[]) => Promise<number>>> = {
  create,
  disable,
  enable,
  'add-key': addKey,
  'remove-key': removeKey,
};

/** `partners`: who may send people here, and the keys to which we encrypt what their backends are told. */
export function partnersCommand(withDatabase: WithDatabase, asOperator: OperatorTrail): Command {
  return {
    name: 'partners',
    usage:
      'create --name N --url U --public-key FILE [--redirect-origin O ...] [--if-missing] | list | disable --url U | enable --url U [--public-key FILE] | add-key --url U --public-key FILE | remove-key --url U --key-id=ID',
    summary:
      'Registers, lists, disables and enables partners. A key (a JWK file) is replaced by add-key, and by remove-key once the former one is of no more use.',
    run: ([action, ...args]) =>
      withDatabase((dataSource) => {
        if (action === 'list') return list(dataSource);
        const change = CHANGES[action ?? ''];
        if (!change) throw new CommandError(`partners: list, ${Object.keys(CHANGES).join(', ')}`);
        return asOperator(`partners ${action}`, (trail) => change({ dataSource, trail }, args));
      }),
  };
}

async function create({ dataSource, trail }: Tools, args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      url: { type: 'string' },
      'public-key': { type: 'string' },
      'redirect-origin': { type: 'string', multiple: true, default: [] },
      'if-missing': { type: 'boolean', default: false },
    },
  });
  if (!values.name || !values['public-key'])
    throw new CommandError('partners create: --name and --public-key are needed');
  const url = urlOf(values.url);
  const redirectOrigins = values['redirect-origin'].map(originOf);
  const existing = await dataSource.getRepository(Partner).findOneBy({ url });
  if (existing && values['if-missing']) {
    say(`${url} is registered already`);
    return 0;
  }
  if (existing)
    throw new CommandError(`${url} is registered already${existing.disabledAt ? ' (disabled)' : ''}`);
  const publicKey = readKey(values['public-key']);
  const partner = { id: uuidv7(), name: values.name, url, publicKey, redirectOrigins };
  await dataSource.transaction(async (manager) => {
    await manager.getRepository(Partner).insert(partner);
    await trail.record(manager, { action: 'PARTNER_CREATED', object: partner.id });
  });
  say(`registered ${url}`);
  return 0;
}

async function list(dataSource: DataSource): Promise<number> {
  const partners = await dataSource.getRepository(Partner).find({ order: { createdAt: 'ASC' } });
  for (const partner of partners) {
    const origins = partner.redirectOrigins.join(', ') || 'any origin';
    const state = partner.disabledAt ? `disabled ${partner.disabledAt.toISOString()}` : 'active';
    say(`${partner.url}\t${partner.name}\t${await keysOf(partner)}\t${origins}\t${state}`);
  }
  return 0;
}

async function disable(tools: Tools, args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { url: { type: 'string' } } });
  const url = urlOf(values.url);
  const isChanged = await change(
    tools,
    'PARTNER_DISABLED',
    { url, disabledAt: IsNull() },
    { disabledAt: new Date() },
  );
  if (!isChanged) throw new CommandError(`${url} is not registered or was disabled before`);
  say(`disabled ${url}: no further logins; sessions that exist go on`);
  return 0;
}

async function enable(tools: Tools, args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { url: { type: 'string' }, 'public-key': { type: 'string' } },
  });
  const url = urlOf(values.url);
  const publicKey = values['public-key'] === undefined ? {} : { publicKey: readKey(values['public-key']) };
  const isChanged = await change(tools, 'PARTNER_ENABLED', { url }, { disabledAt: null, ...publicKey });
  if (!isChanged) throw new CommandError(`${url} is not registered`);
  say(`enabled ${url}${values['public-key'] === undefined ? '' : ', with the new key'}`);
  return 0;
}

/** @returns whether there was such a partner */
async function change(
  { dataSource, trail }: Tools,
  action: AuditAction,
  where: FindOptionsWhere<Partner>,
  values: Partial<Pick<Partner, 'disabledAt' | 'publicKey'>>,
): Promise<boolean> {
  return dataSource.transaction(async (manager) => {
    const partners = manager.getRepository(Partner);
    const partner = await partners.findOneBy(where);
    if (!partner) return false;
    await partners.update({ id: partner.id }, values);
    await trail.record(manager, { action, object: partner.id });
    return true;
  });
}

/** Tokens are encrypted to the new key from now on; the one before it is kept, to be gone back to. */
async function addKey(tools: Tools, args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { url: { type: 'string' }, 'public-key': { type: 'string' } },
  });
  if (!values['public-key']) throw new CommandError('partners add-key: --public-key is needed');
  const url = urlOf(values.url);
  const key = readKey(values['public-key']);
  const id = await idOfKey(key);
  await changeKeys(tools, 'PARTNER_KEY_ADDED', url, async ({ publicKey, formerPublicKey }) => {
    if (formerPublicKey) throw new CommandError(`${url} has two keys already: remove one of them first`);
    if (id === (await idOfKey(publicKey)))
      throw new CommandError(`${url} has a key ${id} already: the new one needs an id of its own`);
    // named in every token, or the partner could not tell which of its keys opens it
    return { publicKey: { ...key, kid: id }, formerPublicKey: publicKey };
  });
  say(`tokens for ${url} are encrypted to the key ${id} from now on`);
  return 0;
}

/** Without the newer one, tokens are encrypted to the former one again; a partner keeps one key in any case. */
async function removeKey(tools: Tools, args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { url: { type: 'string' }, 'key-id': { type: 'string' } },
  });
  const url = urlOf(values.url);
  const removed = values['key-id'];
  const { publicKey: kept } = await changeKeys(
    tools,
    'PARTNER_KEY_REMOVED',
    url,
    async ({ publicKey, formerPublicKey }) => {
      if (!formerPublicKey) throw new CommandError(`${url} has one key only: add another one first`);
      const [currentId, formerId] = [await idOfKey(publicKey), await idOfKey(formerPublicKey)];
      if (removed !== currentId && removed !== formerId)
        throw new CommandError(`partners remove-key: --key-id must be ${currentId} or ${formerId}`);
      return { publicKey: removed === currentId ? formerPublicKey : publicKey, formerPublicKey: null };
    },
  );
  say(`removed ${removed}; tokens for ${url} are encrypted to the key ${await idOfKey(kept)}`);
  return 0;
}

type PartnerKeys = Pick<Partner, 'publicKey' | 'formerPublicKey'>;

/** One change at a time: each decides on what the one before it left. */
async function changeKeys(
  { dataSource, trail }: Tools,
  action: AuditAction,
  url: string,
  change: (keys: PartnerKeys) => Promise<PartnerKeys>,
): Promise<PartnerKeys> {
  return dataSource.transaction(async (manager) => {
    const partner = await manager.findOne(Partner, { where: { url }, lock: { mode: 'pessimistic_write' } });
    if (!partner) throw new CommandError(`${url} is not registered`);
    const changed = await change(partner);
    await manager.update(Partner, { id: partner.id }, changed);
    await trail.record(manager, { action, object: partner.id });
    return changed;
  });
}

/** The key in use first. */
async function keysOf({ publicKey, formerPublicKey }: Partner): Promise<string> {
  const keys = formerPublicKey ? [publicKey, formerPublicKey] : [publicKey];
  const named = await Promise.all(keys.map(async (key) => `${key.kty} ${await idOfKey(key)}`));
  return named.join(', formerly ');
}

function urlOf(text: string | undefined): string {
  if (!isHttpUrl(text)) throw new CommandError('partners: --url must be an http or https URL');
  return normalisePartnerUrl(text);
}

function originOf(text: string): string {
  if (
    !isHttpUrl(text) ||
    new URL(text).protocol !== 'https:' ||
    new URL(text).origin !== text.replace(/\/$/, '')
  ) {
    throw new CommandError(
      `partners: --redirect-origin must be an https origin, such as https://app.example: ${text}`,
    );
  }
  return new URL(text).origin;
}

function readKey(file: string): PartnerPublicKey {
  try {
    return parsePublicKey(readFileSync(file, 'utf8'));
  } catch {
    throw new CommandError(
      `partners: ${file} is not a file with a public JWK (RSA of 2048 bits or more, or P-256/384/521)`,
    );
  }
}
