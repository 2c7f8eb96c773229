import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isHttpUrl } from '@fd/contracts';
import { type Command, CommandError, type WithDatabase } from '@fd/platform';
import { IsNull, type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { normalisePartnerUrl } from './partner-url.js';
import { type PartnerPublicKey, parsePublicKey } from './partner-public-key.js';
import { Partner } from './partner.entity.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** `partners create|list|disable`: who may send people here. */
export function partnersCommand(withDatabase: WithDatabase): Command {
  return {
    name: 'partners',
    usage:
      'create --name N --url U --public-key FILE [--redirect-origin O ...] [--if-missing] | list | disable --url U | enable --url U [--public-key FILE]',
    summary:
      'Registers, lists, disables and enables partners; enable may bring a new public key (a JWK file).',
    run: ([action, ...args]) =>
      withDatabase(async (dataSource) => {
        const partners = dataSource.getRepository(Partner);
        if (action === 'create') return create(partners, args);
        if (action === 'list') return list(partners);
        if (action === 'disable') return disable(partners, args);
        if (action === 'enable') return enable(partners, args);
        throw new CommandError('partners: create, list, disable or enable');
      }),
  };
}

async function create(partners: Repository<Partner>, args: string[]): Promise<number> {
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
  const existing = await partners.findOneBy({ url });
  if (existing && values['if-missing']) {
    say(`${url} is registered already`);
    return 0;
  }
  if (existing)
    throw new CommandError(`${url} is registered already${existing.disabledAt ? ' (disabled)' : ''}`);
  const publicKey = readKey(values['public-key']);
  await partners.insert({ id: uuidv7(), name: values.name, url, publicKey, redirectOrigins });
  say(`registered ${url}`);
  return 0;
}

async function list(partners: Repository<Partner>): Promise<number> {
  for (const partner of await partners.find({ order: { createdAt: 'ASC' } })) {
    const origins = partner.redirectOrigins.join(', ') || 'any origin';
    const state = partner.disabledAt ? `disabled ${partner.disabledAt.toISOString()}` : 'active';
    say(`${partner.url}\t${partner.name}\t${partner.publicKey.kty}\t${origins}\t${state}`);
  }
  return 0;
}

async function disable(partners: Repository<Partner>, args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { url: { type: 'string' } } });
  const url = urlOf(values.url);
  const { affected } = await partners.update({ url, disabledAt: IsNull() }, { disabledAt: new Date() });
  if (!affected) throw new CommandError(`${url} is not registered or was disabled before`);
  say(`disabled ${url}: no further logins; sessions that exist go on`);
  return 0;
}

async function enable(partners: Repository<Partner>, args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { url: { type: 'string' }, 'public-key': { type: 'string' } },
  });
  const url = urlOf(values.url);
  const publicKey = values['public-key'] === undefined ? {} : { publicKey: readKey(values['public-key']) };
  const { affected } = await partners.update({ url }, { disabledAt: null, ...publicKey });
  if (!affected) throw new CommandError(`${url} is not registered`);
  say(`enabled ${url}${values['public-key'] === undefined ? '' : ', with the new key'}`);
  return 0;
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
