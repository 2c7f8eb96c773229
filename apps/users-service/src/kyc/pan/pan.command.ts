import { isPan, maskPan } from '@fd/contracts';
import { type Command, CommandError, OPERATOR_HELP, operatorArguments, say, TEXT } from '@fd/platform';
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
} from '../../core/index.js';
import { JourneyRepository, JourneyStepRow } from '../../journey/index.js';
import { PartnerEvents } from '../../events/index.js';
import { partnerToTell, User, UsersRepository } from '../../identity/index.js';
import { IdentitiesRepository } from './identities.repository.js';
import { Identity } from './identity.entity.js';
import type { PanDependents } from './pan-dependents.port.js';
import { PanClaims } from './pan-claims.repository.js';

/** Of the step PAN: the user must not read why an operator acted, such as a suspicion. */
const SHOWN_REASON = 'PAN_RELEASED';

/** `pan release`: releases a PAN from its user, so that its holder can verify it in another account. */
export function panCommand(
  asOperator: AsOperator,
  pii: () => PiiConfig,
  dependents: PanDependents,
  readInput = operatorInput,
  isInputGiven = hasInput,
): Command {
  return {
    name: 'pan',
    usage: 'release [--user ID | --file PATH] [--to ID] --by NAME --reason WORD',
    summary: `Releases the PAN of a user, or a PAN read from a file or standard input; gives it to a claimant (--to) whose verified eKYC was refused. ${OPERATOR_HELP}`,
    run: async ([action, ...args]) => {
      if (action !== 'release') throw new CommandError('pan: release');
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
    { partnerToTell },
    { issuers: [] },
    new Registry(),
  );
  const identities = new IdentitiesRepository(dataSource.getRepository(Identity), cipher, hash, journey);
  const users = new UsersRepository(dataSource.getRepository(User), cipher, hash);
  return { cipher, hash, journey, identities, users };
}

/** Records a refusal before it is printed: its reason reveals whether a person is a user. @throws CommandError */
async function refuse(tools: OperatorTools, user: string | undefined, problem: string): Promise<never> {
  await tools.refuse({ action: 'PAN_RELEASED', subject: user });
  throw new CommandError(problem);
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
  const moved = dataSource.transaction(async (tx) => {
    if (userId === undefined) return undefined;
    const identity = await identities.findByUserId(userId, tx);
    const reasons = { recorded: reason, shown: SHOWN_REASON };
    if (!identity) return undefined;
    const released = await (to === undefined
      ? claims.release(tx, userId, reasons)
      : claims.releaseTo(tx, userId, to, reasons));
    if (released === undefined) return to === undefined ? undefined : null;
    return [userId, maskPan(identity.pan), identity.verificationId, identity.verifiedAt.toISOString()].join(
      '\t',
    );
  });
  const line = await moved.catch(async (error: unknown) => {
    if (error instanceof CommandError) return refuse(tools, userId, error.message);
    throw error;
  });
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
