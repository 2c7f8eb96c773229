import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isHttpUrl } from '@fd/contracts';
import { type Command, CommandError, type WithDatabase } from '@fd/platform';
import { type DataSource, type FindOptionsWhere, IsNull } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { AuditAction } from '../audit/audit-actions.table.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { OperatorTrail } from '../audit/audit.command.js';
import { normalisePartnerUrl } from './partner-url.js';
import { type PartnerPublicKey, parsePublicKey } from './partner-public-key.js';
import { Partner } from './partner.entity.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** `partners create|list|disable`: who may send people here. */
export function partnersCommand(withDatabase: WithDatabase, asOperator: OperatorTrail): Command {
  return {
    name: 'partners',
    usage:
      'create --name N --url U --public-key FILE [--redirect-origin O ...] [--if-missing] | list | disable --url U | enable --url U [--public-key FILE]',
    summary:
      'Registers, lists, disables and enables partners; enable may bring a new public key (a JWK file).',
    run: ([action, ...args]) =>
      withDatabase((dataSource) => {
        if (action === 'create') {
          return asOperator('partners create', (trail) => create({ dataSource, trail }, args));
        }
        if (action === 'list') return list(dataSource);
        if (action === 'disable') {
          return asOperator('partners disable', (trail) => disable({ dataSource, trail }, args));
        }
        if (action === 'enable') {
          return asOperator('partners enable', (trail) => enable({ dataSource, trail }, args));
        }
        throw new CommandError('partners: create, list, disable or enable');
      }),
  };
}

/** What a change of partners is made with. */
interface Tools {
  readonly dataSource: DataSource;
  readonly trail: AuditTrail;
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
    say(`${partner.url}\t${partner.name}\t${partner.publicKey.kty}\t${origins}\t${state}`);
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
