import {
  type Command,
  CommandError,
  OPERATOR_HELP,
  operatorArguments,
  say,
  sayList,
  TEXT,
  timeOf,
} from '@fd/platform';
import { type EntityManager, IsNull } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { PiiConfig } from '../config/index.js';
import {
  type AsOperator,
  type AuditAction,
  idOf,
  type OperatorTools,
  PiiCipher,
  refusedAs,
} from '../core/index.js';
import { BackendKey } from './backend/backend-key.entity.js';
import { hashOfKey, newBackendKey } from './backend/backend-keys.repository.js';
import { endPause, parkUndelivered, replayEvent, replayEventsSince } from './outbox/event-log.repository.js';
import { addressProblem } from './delivery/event-sender.js';
import { newSecret, shownSecret } from './delivery/event-signatures.js';
import { EventSubscription, type Signing } from './subscriptions/event-subscription.entity.js';
import { PartnerEvent } from './outbox/partner-event.entity.js';

/** @throws CommandError for an unknown one */
export type PartnerByUrl = (
  manager: EntityManager,
  url: string | undefined,
) => Promise<{ readonly id: string; readonly disabledAt: Date | null }>;

interface Order {
  readonly tx: EntityManager;
  readonly partnerId: string;
  readonly subscription: EventSubscription | null;
  readonly secrets: Secrets;
  readonly values: Readonly<Partial<Record<'address' | 'signing' | 'since' | 'key', string>>>;
  readonly isProduction: boolean;
}

/** An action on the events of a partner, with its name in the audit trail. Returns the lines of its output. */
interface Act {
  readonly recorded: AuditAction;
  readonly run: (order: Order) => Promise<readonly string[]>;
}

const ACTS: Readonly<Record<string, Act>> = {
  set: { recorded: 'EVENTS_SET', run: set },
  pause: { recorded: 'EVENTS_PAUSED', run: pause },
  resume: { recorded: 'EVENTS_RESUMED', run: resume },
  'roll-secret': { recorded: 'EVENTS_SECRET_CHANGED', run: rollSecret },
  'remove-secret': { recorded: 'EVENTS_SECRET_CHANGED', run: removeSecret },
  'add-key': { recorded: 'EVENTS_KEY_CHANGED', run: addKey },
  'remove-key': { recorded: 'EVENTS_KEY_CHANGED', run: removeKey },
  replay: { recorded: 'EVENTS_REPLAYED', run: replaySince },
};

const OPTIONS = { url: TEXT, address: TEXT, signing: TEXT, since: TEXT, key: TEXT, event: TEXT };

export function eventsCommand(
  asOperator: AsOperator,
  pii: () => PiiConfig,
  isProduction: () => boolean,
  partnerByUrl: PartnerByUrl,
): Command {
  return {
    name: 'events',
    usage:
      'list | show|replay --event ID | set --url U [--address A|none] [--signing hmac|ed25519] | pause|resume|roll-secret|remove-secret|add-key --url U | remove-key --url U --key ID | replay --url U --since TIME; each with --by NAME --reason WORD',
    summary: `Sets the address to which the events of a partner (--url) are delivered, and prints the secret with which its backend verifies them, once; lists the partners with what waits for them; shows an event with its delivery; delivers again, pauses and resumes; replaces the secret in two steps, and adds and removes keys with which a backend reads events itself. ${OPERATOR_HELP}`,
    run: async ([action = '', ...args]) => {
      const act = Object.hasOwn(ACTS, action) ? ACTS[action] : undefined;
      if (!act && action !== 'list' && action !== 'show')
        throw new CommandError(`events: list, show, ${Object.keys(ACTS).join(', ')}`);
      const { values, operator } = operatorArguments(`events ${action}`, args, OPTIONS);
      if (action === 'list')
        return asOperator(operator, async (tools) => sayList(await list(tools), 'No partner gets events.'));
      if (action === 'show' || (action === 'replay' && values.event !== undefined)) {
        const id = idOf(values.event, `events ${action}: --event must be the id of an event`);
        return asOperator(operator, (tools) => (action === 'show' ? show(tools, id) : replay(tools, id)));
      }
      await asOperator(operator, async (tools) => {
        const { dataSource, trail, reason } = tools;
        const { recorded, run } = act!;
        const { id: partnerId, disabledAt } = await partnerByUrl(dataSource.manager, values.url);
        const entry = { action: recorded, object: partnerId };
        const lines = await refusedAs(tools, entry, () =>
          dataSource.transaction(async (tx) => {
            const lock = { mode: 'pessimistic_write' } as const;
            const subscription = await tx.findOne(EventSubscription, { where: { partnerId }, lock });
            if (!subscription && action !== 'set')
              throw new CommandError('This partner gets no events: events set first.');
            // the pause of a subscription is what keeps a disabled partner out
            if (!subscription && disabledAt)
              throw new CommandError('The partner is disabled: partners enable first.');
            const secrets = new Secrets(new PiiCipher(pii().keys), partnerId);
            const order = { tx, partnerId, subscription, secrets, values, isProduction: isProduction() };
            const said = await run(order);
            await trail.record(tx, { ...entry, code: reason });
            return said;
          }),
        );
        lines.forEach(say);
      });
    },
  };
}

class Secrets {
  constructor(
    private readonly cipher: PiiCipher,
    private readonly id: string,
  ) {}

  seal(column: 'secret' | 'former_secret', secret: string): string {
    return this.cipher.encrypt(secret, { table: 'event_subscriptions', column, id: this.id });
  }

  open(column: 'secret' | 'former_secret', sealed: string): string {
    return this.cipher.decrypt(sealed, { table: 'event_subscriptions', column, id: this.id });
  }
}

const isSigning = (word: string): word is Signing => word === 'hmac' || word === 'ed25519';

async function set({ tx, partnerId, subscription, secrets, values, isProduction }: Order): Promise<string[]> {
  const { address: given, signing = subscription?.signing ?? 'hmac' } = values;
  if (!isSigning(signing)) throw new CommandError('events set: --signing must be hmac or ed25519');
  const address = given === 'none' ? null : (given ?? subscription?.address ?? null);
  const problem = address === null ? undefined : addressProblem(address, !isProduction);
  if (problem !== undefined) throw new CommandError(`events set: --address ${problem}`);
  const isNewSecret = subscription?.signing !== signing;
  const secret = isNewSecret ? newSecret(signing) : undefined;
  const row = {
    ...{ partnerId, address, signing },
    ...(secret !== undefined && {
      secretEncrypted: secrets.seal('secret', secret),
      formerSecretEncrypted: null,
    }),
  };
  // what happened before is not sent to a new address: the backend can read it
  if (!subscription?.address) await parkUndelivered(tx, partnerId);
  if (subscription) await tx.update(EventSubscription, { partnerId }, row);
  else await tx.insert(EventSubscription, { ...row, secretEncrypted: row.secretEncrypted! });
  return [
    address === null ? 'events are kept for reading only' : `events are delivered to ${address}`,
    ...(secret === undefined ? [] : [`secret\t${shownSecret(secret)}`]),
    ...(subscription ? [] : ['from ten seconds on']),
  ];
}

async function pause({ tx, partnerId, subscription }: Order): Promise<string[]> {
  if (subscription!.pausedAt) return [`paused before\t${subscription!.pauseReason}`];
  await tx.update(EventSubscription, { partnerId }, { pausedAt: () => 'now()', pauseReason: 'OPERATOR' });
  return ['paused: events are kept, and delivered after events resume'];
}

async function resume({ tx, partnerId, subscription }: Order): Promise<string[]> {
  if (subscription!.disabledAt) throw new CommandError('The partner is disabled: partners enable.');
  await endPause(tx, partnerId);
  return ['resumed'];
}

async function rollSecret({ tx, partnerId, subscription, secrets }: Order): Promise<string[]> {
  const { signing, secretEncrypted, formerSecretEncrypted } = subscription!;
  if (formerSecretEncrypted !== null)
    throw new CommandError('Two secrets sign already: events remove-secret first.');
  const secret = newSecret(signing);
  const former = secrets.open('secret', secretEncrypted);
  await tx.update(
    EventSubscription,
    { partnerId },
    {
      secretEncrypted: secrets.seal('secret', secret),
      formerSecretEncrypted: secrets.seal('former_secret', former),
    },
  );
  return [`secret\t${shownSecret(secret)}`, 'both secrets sign until events remove-secret'];
}

async function removeSecret({ tx, partnerId, subscription }: Order): Promise<string[]> {
  if (subscription!.formerSecretEncrypted === null)
    throw new CommandError('One secret signs only: events roll-secret first.');
  await tx.update(EventSubscription, { partnerId }, { formerSecretEncrypted: null });
  return ['the former secret signs no longer'];
}

async function addKey({ tx, partnerId }: Order): Promise<string[]> {
  if ((await tx.countBy(BackendKey, { partnerId, revokedAt: IsNull() })) >= 2)
    throw new CommandError('The backend has two keys already: events remove-key first.');
  const [id, key] = [uuidv7(), newBackendKey()];
  await tx.insert(BackendKey, { id, partnerId, keyHash: hashOfKey(key) });
  return [`key\t${id}\t${key}`];
}

async function removeKey({ tx, partnerId, values }: Order): Promise<string[]> {
  const id = idOf(values.key, 'events remove-key: --key must be the id of a key');
  const { affected } = await tx.update(
    BackendKey,
    { id, partnerId, revokedAt: IsNull() },
    { revokedAt: () => 'now()' },
  );
  if (affected !== 1) throw new CommandError('The backend has no such key.');
  return [`removed\t${id}`];
}

async function replaySince({ tx, partnerId, values }: Order): Promise<string[]> {
  const problem = 'events replay: --event ID, or --url U and --since with a time in ISO 8601 and its offset';
  const since = timeOf(values.since ?? '', problem);
  const count = await replayEventsSince(tx, partnerId, since);
  return [`delivered again\t${count}`];
}

async function list({ dataSource, trail, reason }: OperatorTools): Promise<string[]> {
  await trail.record(dataSource.manager, { action: 'EVENTS_LISTED', code: reason });
  const subscriptions = await dataSource
    .getRepository(EventSubscription)
    .find({ order: { createdAt: 'ASC' } });
  const lines: string[] = [];
  for (const { partnerId, address, signing, pauseReason, disabledAt } of subscriptions) {
    const events = dataSource.getRepository(PartnerEvent);
    const waiting = await events.countBy({ partnerId, state: 'DUE' });
    const parked = await events.countBy({ partnerId, state: 'PARKED' });
    const keys = await dataSource.getRepository(BackendKey).findBy({ partnerId, revokedAt: IsNull() });
    lines.push(
      [
        ...[partnerId, address ?? 'read only', signing, disabledAt ? 'DISABLED' : (pauseReason ?? 'active')],
        ...[
          `waiting: ${waiting}`,
          `parked: ${parked}`,
          `keys: ${keys.map(({ id }) => id).join(', ') || 'none'}`,
        ],
      ].join('\t'),
    );
  }
  return lines;
}

async function show({ dataSource, trail, reason, refuse }: OperatorTools, id: string): Promise<void> {
  const action = 'EVENT_READ';
  const event = await dataSource.manager.findOneBy(PartnerEvent, { id });
  if (!event) return refuse({ action, object: id }, 'There is no such event.');
  const { userId: subject, partnerId, type, issuerSlug, step, status, reasonCode, occurredAt } = event;
  await trail.record(dataSource.manager, { action, subject, object: id, code: reason });
  const { state, tries, lastTriedAt, lastAnswer, nextTryAt } = event;
  say([id, type, occurredAt.toISOString(), partnerId, subject].join('\t'));
  say([issuerSlug, step, status, reasonCode].map((word) => word ?? '-').join('\t'));
  say([state, `failed tries: ${tries}`, lastTriedAt?.toISOString() ?? '-', lastAnswer ?? '-'].join('\t'));
  if (state === 'DUE') say(`next try\t${nextTryAt.toISOString()}`);
}

async function replay({ dataSource, trail, reason, refuse }: OperatorTools, id: string): Promise<void> {
  const action = 'EVENTS_REPLAYED';
  const isReplayed = await dataSource.transaction(async (tx) => {
    if (!(await replayEvent(tx, id))) return false;
    await trail.record(tx, { action, object: id, code: reason });
    return true;
  });
  if (!isReplayed) return refuse({ action, object: id }, 'No such event was delivered or given up.');
  say(`delivered again\t${id}`);
}
