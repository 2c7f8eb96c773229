import { isDeepStrictEqual } from 'node:util';
import { isHttpUrl } from '@fd/contracts';
import {
  brokenConstraint,
  type Command,
  CommandError,
  FLAG,
  isPublished,
  OPERATOR_HELP,
  operatorArguments,
  say,
  sayList,
  TEXT,
  visible,
  type WithDatabase,
} from '@fd/platform';
import { type DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import {
  type AsOperator,
  type AuditAction,
  OpenCalls,
  type OperatorInput,
  operatorInput,
  type OperatorTools,
  refusedAs,
} from '../core/index.js';
import { pauseDisabled, resumeEnabled } from '../events/index.js';
import { Consent } from './consents/consent.entity.js';
import { endSessionsOfPartner } from './sessions/user-access.repository.js';
import {
  hasPrivateKey,
  idOfKey,
  normalisePartnerUrl,
  parsePublicKey,
  Partner,
  type PartnerPublicKey,
  thumbprintOf,
} from './partners/partner.entity.js';

/** Reads a public key; FILE may be `-` for standard input. */
type KeyReader = (file: string) => Promise<PartnerPublicKey>;

/** Returns its output line. */
type Change = (args: string[], asOperator: AsOperator, keyOf: KeyReader) => Promise<string>;

const CHANGES: Readonly<Record<string, Change>> = {
  create,
  disable,
  enable,
  'add-key': addKey,
  'remove-key': removeKey,
};

export function partnersCommand(
  withDatabase: WithDatabase,
  asOperator: AsOperator,
  isProduction: () => boolean,
  readInput = operatorInput,
): Command {
  return {
    name: 'partners',
    usage:
      'list | create --name N --url U --public-key FILE [--redirect-origin O ...] [--if-missing] | disable --url U | enable --url U [--public-key FILE] | add-key --url U --public-key FILE | remove-key --url U --key-id=ID; each but list with --by NAME --reason WORD',
    summary: `Registers, lists, disables and enables partners; disabling one ends its sessions. To replace a key (a JWK file), use add-key, then remove-key once no token uses the old key. With - for FILE, it is read from standard input. ${OPERATOR_HELP}`,
    run: async ([action = '', ...args]) => {
      if (action === 'list') return sayList(await withDatabase(list), 'No partner is registered.');
      const change = Object.hasOwn(CHANGES, action) ? CHANGES[action] : undefined;
      if (!change) throw new CommandError(`partners: list, ${Object.keys(CHANGES).join(', ')}`);
      say(await change(args, asOperator, keyReader(isProduction(), readInput)));
    },
  };
}

async function create(args: string[], asOperator: AsOperator, keyOf: KeyReader): Promise<string> {
  const { values, operator } = operatorArguments('partners create', args, {
    name: TEXT,
    url: TEXT,
    'public-key': TEXT,
    'redirect-origin': { type: 'string', multiple: true, default: [] as string[] },
    'if-missing': FLAG,
  });
  const { name, 'public-key': keyFile } = values;
  if (!name || !keyFile) throw new CommandError('partners create: --name and --public-key are needed');
  const url = urlOf(values.url);
  const redirectOrigins = values['redirect-origin'].map(originOf);
  return asOperator(operator, async ({ dataSource, trail, reason, refuse }) => {
    const partners = dataSource.getRepository(Partner);
    const action = 'PARTNER_CREATED';
    if (!(await partners.existsBy({ url }))) {
      const partner = { id: uuidv7(), name, url, publicKey: await keyOf(keyFile), redirectOrigins };
      try {
        await dataSource.transaction(async (manager) => {
          await manager.insert(Partner, partner);
          await trail.record(manager, { action, object: partner.id, code: reason });
        });
        return `registered ${url}`;
      } catch (error) {
        // another command was faster
        if (brokenConstraint(error) !== 'uq_partners__url') throw error;
      }
    }
    const { id: object, disabledAt } = await partners.findOneByOrFail({ url });
    if (values['if-missing']) {
      await trail.record(dataSource.manager, { action, object, code: reason, outcome: 'REPEATED' });
      return `${url} is registered already`;
    }
    return refuse({ action, object }, `${url} is registered already${disabledAt ? ' (disabled)' : ''}`);
  });
}

async function list(dataSource: DataSource): Promise<string[]> {
  const partners = await dataSource.getRepository(Partner).find({ order: { createdAt: 'ASC' } });
  return partners.map(({ id, url, name, publicKey, formerPublicKey, redirectOrigins, disabledAt }) => {
    // the key in use first
    const keys = formerPublicKey ? [publicKey, formerPublicKey] : [publicKey];
    // texts of partners: a tab or the end of a line would forge columns and lines
    const named = keys.map((key) => `${key.kty} ${visible(idOfKey(key))}`);
    const origins = redirectOrigins.join(', ') || 'any origin';
    const state = disabledAt ? `disabled ${disabledAt.toISOString()}` : 'active';
    // the audit trail and the log of operators' acts name a partner by its id
    return [url, visible(name), named.join(', formerly '), origins, state, id].join('\t');
  });
}

/** @throws CommandError for an unknown one */
export async function partnerByUrl(manager: EntityManager, given: string | undefined): Promise<Partner> {
  const url = urlOf(given);
  const partner = await manager.findOneBy(Partner, { url });
  if (!partner) throw new CommandError(`${url} is not registered`);
  return partner;
}

/** Refuses logins at once, then ends the sessions. Can be repeated after a failure. */
async function disable(args: string[], asOperator: AsOperator): Promise<string> {
  const { values, operator } = operatorArguments('partners disable', args, { url: TEXT });
  const url = urlOf(values.url);
  return asOperator(operator, async (tools) => {
    const disabled = ({ disabledAt, id }: Partner) => ({ id, disabledAt: disabledAt ?? new Date() });
    const { id } = await change(tools, 'PARTNER_DISABLED', url, disabled, pauseDisabled);
    const count = await endSessionsOfPartner(tools.dataSource.manager, id);
    return `disabled ${url}: no further logins; sessions ended: ${count}`;
  });
}

async function enable(args: string[], asOperator: AsOperator, keyOf: KeyReader): Promise<string> {
  const { values, operator } = operatorArguments('partners enable', args, { url: TEXT, 'public-key': TEXT });
  const url = urlOf(values.url);
  const keyFile = values['public-key'];
  const newKey = keyFile === undefined ? {} : { publicKey: await keyOf(keyFile) };
  await asOperator(operator, async (tools) => {
    // those that an interrupted `disable` has left: until now no session could be opened
    const disabled = await tools.dataSource
      .getRepository(Partner)
      .findOneBy({ url, disabledAt: Not(IsNull()) });
    if (disabled) await endSessionsOfPartner(tools.dataSource.manager, disabled.id);
    const restartCalls = async (tx: EntityManager, partnerId: string) => {
      await resumeEnabled(tx, partnerId);
      const users = tx.createQueryBuilder(Consent, 'c').select('c.userId').where('c.partnerId = :partnerId');
      return new OpenCalls(tools).restartUnsent(tx, users.setParameters({ partnerId }));
    };
    await change(tools, 'PARTNER_ENABLED', url, () => ({ disabledAt: null, ...newKey }), restartCalls);
  });
  return `enabled ${url}${keyFile === undefined ? '' : ', with the new key'}`;
}

/** Uses the new key for tokens from now on; keeps the previous one for a roll-back. */
async function addKey(args: string[], asOperator: AsOperator, keyOf: KeyReader): Promise<string> {
  const { values, operator } = operatorArguments('partners add-key', args, { url: TEXT, 'public-key': TEXT });
  if (!values['public-key']) throw new CommandError('partners add-key: --public-key is needed');
  const url = urlOf(values.url);
  const key = await keyOf(values['public-key']);
  const id = idOfKey(key);
  await asOperator(operator, (tools) =>
    change(tools, 'PARTNER_KEY_ADDED', url, ({ publicKey, formerPublicKey }) => {
      if (formerPublicKey) throw new CommandError(`${url} has two keys already: remove one of them first`);
      if (id === idOfKey(publicKey))
        throw new CommandError(`${url} has a key ${id} already: the new key needs a different id`);
      // every token names it, so that the partner can select its key
      return { publicKey: { ...key, kid: id }, formerPublicKey: publicKey };
    }),
  );
  return `tokens for ${url} are encrypted to the key ${id} from now on`;
}

/** Removing the newer key makes the former one current again. A partner keeps at least one key. */
async function removeKey(args: string[], asOperator: AsOperator): Promise<string> {
  const { values, operator } = operatorArguments('partners remove-key', args, { url: TEXT, 'key-id': TEXT });
  const url = urlOf(values.url);
  const removed = values['key-id'];
  const kept = await asOperator(operator, (tools) =>
    change(tools, 'PARTNER_KEY_REMOVED', url, ({ publicKey, formerPublicKey }) => {
      if (!formerPublicKey) throw new CommandError(`${url} has one key only: add another one first`);
      const [currentId, formerId] = [idOfKey(publicKey), idOfKey(formerPublicKey)];
      if (removed !== currentId && removed !== formerId)
        throw new CommandError(`partners remove-key: --key-id must be ${currentId} or ${formerId}`);
      return { publicKey: removed === currentId ? formerPublicKey : publicKey, formerPublicKey: null };
    }),
  );
  return `removed ${removed}; tokens for ${url} are encrypted to the key ${idOfKey(kept.publicKey)}`;
}

type Changes = Partial<Pick<Partner, 'id' | 'disabledAt' | 'publicKey' | 'formerPublicKey'>>;

/** Serialises changes. Records one that is refused or leaves the partner as it was, too. */
async function change<T extends Changes>(
  tools: OperatorTools,
  action: AuditAction,
  url: string,
  decide: (partner: Partner) => T,
  effect?: (transaction: EntityManager, partnerId: string) => Promise<void>,
): Promise<T> {
  const { dataSource, trail, reason } = tools;
  const entry: { action: AuditAction; object?: string } = { action };
  return refusedAs(tools, entry, () =>
    dataSource.transaction(async (manager) => {
      // mutually exclusive with running logins: see OPEN_SESSION
      const partner = await manager.findOne(Partner, { where: { url }, lock: { mode: 'pessimistic_write' } });
      if (!partner) throw new CommandError(`${url} is not registered`);
      entry.object = partner.id;
      const changes = decide(partner);
      const isRepeated = isDeepStrictEqual({ ...partner, ...changes }, { ...partner });
      if (!isRepeated) {
        await manager.update(Partner, { id: partner.id }, changes);
        await effect?.(manager, partner.id);
      }
      const outcome = isRepeated ? 'REPEATED' : 'OK';
      await trail.record(manager, { ...entry, code: reason, outcome });
      return changes;
    }),
  );
}

function urlOf(text: string | undefined): string {
  if (!isHttpUrl(text)) throw new CommandError('partners: --url must be an http or https URL');
  return normalisePartnerUrl(text);
}

function originOf(text: string): string {
  const url = isHttpUrl(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.origin !== text.replace(/\/$/, ''))
    throw new CommandError(
      `partners: --redirect-origin must be an https origin, such as https://app.example: ${text}`,
    );
  return url.origin;
}

const keyReader =
  (isProduction: boolean, readInput: OperatorInput): KeyReader =>
  async (file) => {
    const source = file === '-' ? 'standard input' : file;
    // a container has no way to get a file
    const text = await readInput(file === '-' ? undefined : file).catch(() => '');
    if (hasPrivateKey(text))
      throw new CommandError(
        `partners: ${source} has a private key, which only the partner may have: ask for the public key of a new pair`,
      );
    const key = publicKeyIn(text);
    if (!key)
      throw new CommandError(
        `partners: ${source} is not a public JWK (RSA of 2048 bits or more, or P-256/384/521)`,
      );
    if (isProduction && isPublished(thumbprintOf(key)))
      throw new CommandError(`partners: ${source} is a published example key; its private key is public`);
    return key;
  };

function publicKeyIn(text: string): PartnerPublicKey | undefined {
  try {
    return parsePublicKey(text);
  } catch {
    return undefined;
  }
}
