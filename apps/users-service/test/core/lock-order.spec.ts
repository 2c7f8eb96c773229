import { EkycErrors } from '@fd/errors';
import { ReadyApplications } from '../../src/application/booking/ready-applications.service.js';
import { BeneficiaryRegistration } from '../../src/banking/registration/beneficiary-registration.service.js';
import { BeneficiaryWithdrawal } from '../../src/banking/registration/beneficiary-withdrawal.service.js';
import { AccountVerification } from '../../src/banking/verification/account-verification.service.js';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { Jobs } from '../../src/core/jobs/jobs.service.js';
import { EventDeliveries } from '../../src/events/delivery/event-deliveries.service.js';
import { EventLog } from '../../src/events/outbox/event-log.repository.js';
import { bankBody, HOLDER, postBank } from '../support/bank.js';
import { EventReceiver, listen, runEvents } from '../support/event-receiver.js';
import { issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { runBank, runPan, WHO } from '../support/operator.js';
import { knownAs } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

/** Parallel runs of each of two use cases; each takes locks of one user in the order of docs/lock-order.md. */
const ROUNDS = 5;

const NAMES = [
  'an account is given again',
  'the PAN is released and another one kept',
  'a worker compares holders',
  'a worker registers and withdraws accounts',
  'an operator compares names again',
  'the client asks for the eKYC',
  'a worker numbers and delivers events, and looks at applications',
  'an operator resumes and repeats events',
] as const;

const PAIRS = NAMES.flatMap((one, index) => NAMES.slice(index).map((other) => [one, other] as const));

describe('locks of a user', () => {
  let service: TestService;
  let receiver: EventReceiver;
  let actions: Readonly<Record<(typeof NAMES)[number], () => Promise<unknown>>>;
  beforeAll(async () => {
    service = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true' });
    receiver = await EventReceiver.start();
    // a failed delivery changes the other events of the user, too
    let answers = 0;
    receiver.behaviour = (response) => response.writeHead(answers++ % 2 === 0 ? 204 : 503).end();
    const { url } = service.partner;
    await listen(service, { address: receiver.url });
    const { app } = service;
    // only the pairs take locks
    await app.get(Jobs).beforeApplicationShutdown();
    const user = await logIn(service);
    const api = as(service.api, user);
    const { user_id: userId } = user;
    await knownAs(service, userId, HOLDER);
    const account = bankBody({ issuer_code: 'ARAVFIN' });
    const answered = async (answer: Promise<{ status: number; body: unknown }>): Promise<void> => {
      const { status, body } = await answer;
      // a release ends the request for eKYC
      if (status >= 500 && !JSON.stringify(body).includes(EkycErrors.unavailable.code))
        throw new Error(`${status}: ${JSON.stringify(body)}`);
    };
    const calls = app.get(DurableCalls);
    actions = {
      'an account is given again': () => answered(postBank(api, account)),
      'the PAN is released and another one kept': async () => {
        await runPan(service, '', 'release', '--user', userId, ...WHO).catch(refusedOnly);
        await knownAs(service, userId, HOLDER);
      },
      'a worker compares holders': () => app.get(AccountVerification).recheckHolderNames(),
      'a worker registers and withdraws accounts': async () => {
        await app.get(BeneficiaryWithdrawal).withdrawWithoutPan();
        await calls.advanceDue(app.get(BeneficiaryWithdrawal));
        await calls.advanceDue(app.get(BeneficiaryRegistration));
      },
      'an operator compares names again': () => runBank(service, 'recheck', ...WHO),
      'the client asks for the eKYC': () => answered(api.post(issuerPath('aravalli', 'v3/check-status'), {})),
      'a worker numbers and delivers events, and looks at applications': async () => {
        await app.get(EventLog).numberNew();
        await calls.advanceDue(app.get(EventDeliveries));
        await app.get(ReadyApplications).lookAtChanged();
      },
      'an operator resumes and repeats events': async () => {
        await runEvents(service, 'resume', '--url', url);
        await runEvents(service, 'replay', '--url', url, '--since', '2026-01-01T00:00:00Z');
      },
    };
    await actions['an account is given again']();
  });
  afterAll(async () => {
    await service.close();
    await receiver.stop();
  });

  it.each(PAIRS)('are never taken in opposite orders while %s and %s', async (one, other) => {
    for (let round = 0; round < ROUNDS; round++)
      await Promise.all([actions[one](), actions[other](), actions[one](), actions[other]()]);
    expect(service.logs()).not.toContain('deadlock');
  });
});

/** The PAN may be released already. */
function refusedOnly(error: unknown): void {
  if (!String(error).includes('has no PAN')) throw error;
}
