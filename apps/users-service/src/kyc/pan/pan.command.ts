import { isPan, maskPan } from '@fd/contracts';
import {
  Clock,
  type Command,
  CommandError,
  OPERATOR_HELP,
  operatorArguments,
  say,
  sayList,
  TEXT,
} from '@fd/platform';
import { Registry } from 'prom-client';
import type { PiiConfig } from '../../config/index.js';
import {
  type AsOperator,
  hasInput,
  idOf,
  KeyedHash,
  operatorInput,
  type OperatorTools,
  PiiCipher,
  refusedAs,
} from '../../core/index.js';
import { JourneyRepository, JourneyStepRow } from '../../journey/index.js';
import { PartnerEvents } from '../../events/index.js';
import { partnerForEvents, User, UsersRepository } from '../../identity/index.js';
import { IdentitiesRepository } from './identities.repository.js';
import { Identity } from './identity.entity.js';
import type { PanDependents } from './pan-dependents.port.js';
import { PanClaims } from './pan-claims.repository.js';

/** Of the step PAN: the user must not read why an operator acted, such as a suspicion. */
const SHOWN_REASON = 'PAN_RELEASED';

/** `pan release`: releases a PAN from its user, so that its holder can verify it in another account. `pan claims`: who waits for that. */
export function panCommand(
  asOperator: AsOperator,
  pii: () => PiiConfig,
  dependents: PanDependents,
  readInput = operatorInput,
  isInputGiven = hasInput,
): Command {
  return {
    name: 'pan',
    usage: 'claims | release [--user ID | --file PATH] [--to ID] --by NAME --reason WORD',
    summary: `Lists claims whose verified eKYC was refused. Releases the PAN of a user, or a PAN read from a file or standard input; gives it to such a claimant (--to). ${OPERATOR_HELP}`,
    run: async ([action, ...args]) => {
      if (action === 'claims') {
        const { operator } = operatorArguments('pan claims', args, {});
        return asOperator(operator, async (tools) =>
          sayList(await listClaims(tools, pii(), dependents), 'No claim waits.'),
        );
      }
      if (action !== 'release') throw new CommandError('pan: claims, release');
      const options = { user: TEXT, file: TEXT, to: TEXT };
      const { values, operator } = operatorArguments('pan release', args, options);
      const user =
        values.user === undefined
          ? undefined
          : idOf(values.user, 'pan release: --user must be the id of a user');
      const to =
        values.to === undefined ? undefined : idOf(values.to, 'pan release: --to must be the id of a user');
      // otherwise the PAN of another user would be reported as released
      if (user !== undefined && (values.file !== undefined || (await isInputGiven())))
        return asOperator(operator, (tools) =>
          refuse(tools, user, 'pan release: give --user or a PAN, not both'),
        );
      const pan = user === undefined ? (await readInput(values.file)).trim() : undefined;
      return asOperator(operator, (tools) =>
        pan === undefined || isPan(pan)
          ? release(tools, pii(), dependents, { user, pan, to })
          : refuse(
              tools,
              user,
              'pan release: without --user, the PAN must be in --file or on standard input',
            ),
      );
    },
  };
}

/** Parts of the service that commands about identities use. */
export function identityTools({ dataSource, trail }: OperatorTools, { keys, indexSecret }: PiiConfig) {
  const cipher = new PiiCipher(keys);
  const hash = new KeyedHash(indexSecret);
  const journey = new JourneyRepository(
    dataSource.getRepository(JourneyStepRow),
    trail,
    new PartnerEvents(dataSource.manager),
    { partnerForEvents },
    { issuers: [] },
    new Registry(),
  );
  const identities = new IdentitiesRepository(dataSource.getRepository(Identity), cipher, hash, journey);
  const users = new UsersRepository(dataSource.getRepository(User), cipher, hash, new Clock());
  return { cipher, hash, journey, identities, users };
}

function refuse(tools: OperatorTools, user: string | undefined, problem: string): Promise<never> {
  return tools.refuse({ action: 'PAN_RELEASED', subject: user }, problem);
}

async function listClaims(
  tools: OperatorTools,
  pii: PiiConfig,
  dependents: PanDependents,
): Promise<string[]> {
  const { dataSource, trail, reason } = tools;
  await trail.record(dataSource.manager, { action: 'PAN_CLAIMS_LISTED', code: reason });
  const { cipher, journey, users } = identityTools(tools, pii);
  const claims = new PanClaims(cipher, trail, journey, users, dependents);
  const waiting = await claims.waiting(dataSource.manager);
  return waiting.map(({ userId, ownerId, verifiedAt }) =>
    [`claimed by ${userId}`, `held by ${ownerId}`, verifiedAt.toISOString()].join('\t'),
  );
}

async function release(
  tools: OperatorTools,
  pii: PiiConfig,
  dependents: PanDependents,
  { user, pan, to }: Readonly<Record<'user' | 'pan' | 'to', string | undefined>>,
): Promise<void> {
  const { dataSource, trail, reason } = tools;
  const { cipher, journey, identities, users } = identityTools(tools, pii);
  const claims = new PanClaims(cipher, trail, journey, users, dependents);
  const userId = user ?? (await identities.findUsersOf(pan!)).owner;
  const line = await refusedAs(tools, { action: 'PAN_RELEASED', subject: userId }, () =>
    dataSource.transaction(async (tx) => {
      if (userId === undefined) return undefined;
      const identity = await identities.findByUserId(userId, tx);
      const reasons = { recorded: reason, shown: SHOWN_REASON };
      if (!identity) return undefined;
      const released = await (to === undefined
        ? claims.release(tx, userId, reasons)
        : claims.releaseTo(tx, userId, to, reasons));
      if (released === undefined) return to === undefined ? undefined : null;
      const { pan: own, verificationId, verifiedAt } = identity;
      return [userId, maskPan(own), verificationId, verifiedAt.toISOString()].join('\t');
    }),
  );
  if (line === undefined)
    return refuse(tools, user, user ? 'This user has no PAN.' : 'No user has this PAN.');
  if (line === null)
    return refuse(
      tools,
      userId,
      'The user of --to is blocked, has a PAN, or has no verified eKYC for this one.',
    );
  say(`released\t${line}`);
  if (to !== undefined) say(`given\t${to}`);
}
