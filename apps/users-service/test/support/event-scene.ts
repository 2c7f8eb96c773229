import type { PartnerEventsPayload } from '@fd/contracts';
import { type ApiClient, eventually } from '@fd/testing';
import { aBackendKey, briefly, EventReceiver, listen } from './event-receiver.js';
import { aPhone } from './inbox.js';
import { as, logIn } from './login.js';
import { aPartner } from './partner.js';
import { startService, type TestService } from './users-app.js';

/** The second partner that listens. */
export const OTHER = 'https://other.partner.example';
export const EVENTS = '/partner/v1/events';

/** A service with two partners that listen, and a backend for each. */
export class EventScene {
  service!: TestService;
  receiver!: EventReceiver;
  otherReceiver!: EventReceiver;
  /** The secret and the key of the first partner. */
  secret!: string;
  key!: string;

  async start(): Promise<this> {
    this.service = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true' });
    [this.receiver, this.otherReceiver] = [await EventReceiver.start(), await EventReceiver.start()];
    await aPartner(this.service.dataSource, { url: OTHER });
    this.secret = await listen(this.service, { address: this.receiver.url });
    await listen(this.service, { url: OTHER, address: this.otherReceiver.url });
    this.key = await aBackendKey(this.service);
    return this;
  }

  async stop(): Promise<void> {
    await this.service.close();
    for (const each of [this.receiver, this.otherReceiver]) await each.stop();
  }

  readonly receivedOf = (userId: string, at = this.receiver): string[] => at.of(userId).map(briefly);

  readonly backend = (key = this.key): ApiClient => this.service.api.with({ bearer: key });

  readonly page = async (
    query: Record<string, string> = {},
    key = this.key,
  ): Promise<PartnerEventsPayload> => {
    const { body } = await this.backend(key).get(EVENTS, { query });
    return (body as { payload: PartnerEventsPayload }).payload;
  };

  readonly aUser = async (partnerUrl?: string, phone = aPhone()) => {
    const user = await logIn(this.service, phone, partnerUrl);
    return { id: user.user_id, phone, api: as(this.service.api, user) };
  };

  /** Waits until a user's events have been noted, and the applications looked at. */
  readonly looked = (id: string, { dataSource } = this.service): Promise<void> =>
    eventually(async () => {
      const open = `SELECT type FROM onboarding.partner_events WHERE user_id = $1 AND position IS NULL
        UNION ALL SELECT issuer_slug FROM onboarding.application_readiness WHERE user_id = $1 AND changed_at IS NOT NULL`;
      expect(await dataSource.query(open, [id])).toEqual([]);
    });
}
