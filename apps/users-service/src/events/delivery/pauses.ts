import type { EntityManager } from 'typeorm';
import { EventLog } from '../outbox/event-log.repository.js';
import { EventSubscription } from '../subscriptions/event-subscription.entity.js';
import { PartnerEvent } from '../outbox/partner-event.entity.js';

/** Ends deliveries to a partner that is disabled, and the access of its backend. */
export async function pauseDisabled(tx: EntityManager, partnerId: string): Promise<void> {
  await tx.update(EventSubscription, { partnerId }, { pausedAt: () => 'now()', pauseReason: 'DISABLED' });
}

/** Undoes `pauseDisabled`. */
export async function resumeEnabled(tx: EntityManager, partnerId: string): Promise<void> {
  await resume(tx, { partnerId, pauseReason: 'DISABLED' });
}

/** @returns whether a pause has ended */
export async function resume(
  tx: EntityManager,
  paused: Pick<EventSubscription, 'partnerId'> & Partial<Pick<EventSubscription, 'pauseReason'>>,
): Promise<boolean> {
  const { affected } = await tx.update(EventSubscription, paused, { pausedAt: null, pauseReason: null });
  await new EventLog(tx.getRepository(PartnerEvent)).restartClocks(tx, paused.partnerId);
  return affected === 1;
}
