import {
  type Command,
  CommandError,
  OPERATOR_HELP,
  operatorArguments,
  say,
  sayList,
  TEXT,
  visible,
} from '@fd/platform';
import type { PiiConfig } from '../../config/index.js';
import { type AsOperator, type AuditAction, idOf, type OperatorTools } from '../../core/index.js';
import { identityTools } from '../../kyc/index.js';
import { BankAccountRow } from '../accounts/bank-account.entity.js';
import { BankAccountsRepository } from '../accounts/bank-accounts.repository.js';
import { BankSync } from '../accounts/bank-sync.entity.js';
import { RegistrationsRepository } from '../accounts/registrations.repository.js';
import {
  type Decided,
  type Decision,
  NameReviewsRepository,
  type WaitingReview,
} from './name-reviews.repository.js';

interface Action {
  readonly recorded: AuditAction;
  /** Printed with the verification once decided. */
  readonly outcome?: 'accepted' | 'refused';
  readonly run: (reviews: NameReviewsRepository, decision: Decision) => Promise<Decided>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  names: {
    recorded: 'BANK_ACCOUNT_READ',
    run: async (reviews, { id, reason }) => {
      const names = await reviews.namesOf(id, reason);
      if (!names) return 'unknown';
      say(`user\t${names.userId}`);
      say(`given\t${visible(names.claimed)}`);
      say(`at the bank\t${visible(names.atBank ?? '')}`);
      say(`of the PAN\t${visible(names.atPan ?? '')}`);
      say(`names\t${names.token}`);
      return 'decided';
    },
  },
  accept: {
    recorded: 'BANK_NAMES_ACCEPTED',
    outcome: 'accepted',
    run: (reviews, decision) => reviews.accept(decision),
  },
  refuse: {
    recorded: 'BANK_NAMES_REFUSED',
    outcome: 'refused',
    run: (reviews, decision) => reviews.refuse(decision),
  },
};

const OPTIONS = { verification: TEXT, names: TEXT };

const PROBLEMS: Readonly<Record<Exclude<Decided, 'decided'>, string>> = {
  unknown: 'No account with this verification waits for a decision on its names.',
  changed: 'The TOKEN is not of its present names: read them again (bank names).',
};

export function bankCommand(asOperator: AsOperator, pii: () => PiiConfig): Command {
  return {
    name: 'bank',
    usage:
      'reviews|recheck --by NAME --reason WORD | names --verification ID --by NAME --reason WORD | accept|refuse --verification ID --names TOKEN --by NAME --reason WORD',
    summary: `Lists bank accounts whose names match in part, or differ and whose users have asked for a review, finds those that were accepted under former rules, shows the names of one with a TOKEN for them, and accepts or refuses these names. ${OPERATOR_HELP}`,
    run: async ([action = '', ...args]) => {
      if (action === 'reviews' || action === 'recheck') {
        const { operator } = operatorArguments(`bank ${action}`, args, {});
        return asOperator(operator, async (tools) => {
          const reviews = reviewsOf(tools, pii());
          const { reason } = tools;
          const found = action === 'reviews' ? await reviews.listWaiting(reason) : reviews.recheck(reason);
          await sayList(linesOf(found), 'No account waits for a decision on its names.');
        });
      }
      const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
      if (!act) throw new CommandError('bank: reviews, recheck, names, accept or refuse');
      const { values, operator } = operatorArguments(`bank ${action}`, args, OPTIONS);
      const id = idOf(values.verification, `bank ${action}: --verification must be the id of a verification`);
      const { names: token = '' } = values;
      if ((token === '') !== (act === ACTIONS['names']))
        throw new CommandError(
          `bank ${action}: only accept and refuse take --names, the TOKEN of bank names`,
        );
      return asOperator(operator, async (tools) => {
        const decided = await act.run(reviewsOf(tools, pii()), { id, token, reason: tools.reason });
        if (decided !== 'decided')
          return tools.refuse({ action: act.recorded, object: id }, PROBLEMS[decided]);
        if (act.outcome) say(`${act.outcome}\t${id}`);
      });
    },
  };
}

async function* linesOf(
  reviews: Iterable<WaitingReview> | AsyncIterable<WaitingReview>,
): AsyncGenerator<string> {
  for await (const { id, userId, since, match } of reviews)
    yield [id, userId, since.toISOString(), match.score, match.reasons.join()].join('\t');
}

function reviewsOf(tools: OperatorTools, pii: PiiConfig): NameReviewsRepository {
  const { dataSource, trail } = tools;
  const { cipher, hash, journey, identities, users } = identityTools(tools, pii);
  const accounts = dataSource.getRepository(BankAccountRow);
  return new NameReviewsRepository(
    accounts,
    new BankAccountsRepository(accounts, cipher, hash, users, identities),
    new RegistrationsRepository(dataSource.getRepository(BankSync), journey),
    identities,
    trail,
    hash,
  );
}
