import { bankBody, HOLDER, verifyBank } from './bank.js';
import { effectsOf } from './effects.js';
import { ISSUER_CODES, type IssuerSlug } from './issuers.js';
import { as, logIn } from './login.js';
import { runPan, WHO } from './operator.js';
import { knownAs } from './pan.js';
import type { TestService } from './users-app.js';

/** Creates users whose accounts were registered before their PAN changed. */
export class RegisteredUsers {
  constructor(private readonly service: TestService) {}

  async registered(...slugs: IssuerSlug[]) {
    const user = await logIn(this.service);
    const api = as(this.service.api, user);
    await knownAs(this.service, user.user_id, HOLDER);
    const body = bankBody();
    const references: (string | null)[] = [];
    for (const slug of slugs) {
      const synced = await verifyBank(api, { ...body, issuer_code: ISSUER_CODES[slug] });
      expect(synced.is_synced).toBe(true);
      references.push(synced.issuer_reference);
    }
    const [{ id }] = await this.query<[{ id: string }]>(
      'SELECT id FROM onboarding.bank_accounts WHERE user_id = $1',
      [user.user_id],
    );
    return { ...user, api, body, id, references };
  }

  /** Releases the user's PAN as an operator, then verifies another one. */
  async nextPan({ user_id }: { user_id: string }, fullName: string) {
    await runPan(this.service, '', 'release', '--user', user_id, ...WHO);
    await knownAs(this.service, user_id, fullName);
  }

  query<Rows>(sql: string, parameters: unknown[]): Promise<Rows> {
    return this.service.dataSource.query<Rows>(sql, parameters);
  }

  /** Makes the worker repeat the registrations now, which would pause for up to 10 s after a failure. */
  async tryRegistrationNow({ id }: { id: string }): Promise<void> {
    await this.query('UPDATE onboarding.bank_syncs SET next_try_at = now() WHERE account_id = $1', [id]);
  }

  /** Returns the state of the registration at each issuer. */
  async registrationsOf(accountId: string): Promise<Record<string, string>> {
    const rows = await this.query<{ slug: string; state: string }[]>(
      'SELECT issuer_slug AS slug, state FROM onboarding.bank_syncs WHERE account_id = $1',
      [accountId],
    );
    return Object.fromEntries(rows.map(({ slug, state }) => [slug, state]));
  }

  async withdrawalsOf(accountId: string): Promise<Record<string, string>> {
    const rows = await this.query<{ slug: string; state: string }[]>(
      'SELECT issuer_slug AS slug, state FROM onboarding.bank_withdrawals WHERE account_id = $1',
      [accountId],
    );
    return Object.fromEntries(rows.map(({ slug, state }) => [slug, state]));
  }
}

/** Kinds and numbers of the calls that the sandbox's issuer has got about an account, the oldest first. */
export const kindsOf = async (slug: IssuerSlug, account: string) =>
  (await effectsOf(`issuer:${slug}`, account)).map(({ kind, calls }) => [kind, calls]).reverse();
