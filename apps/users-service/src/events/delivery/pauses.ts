import type { EntityManager } from 'typeorm';
import { EventLog } from '../outbox/event-log.repository.js';
import { PartnerEvent } from '../outbox/partner-event.entity.js';
import { EventSubscription } from '../subscriptions/event-subscription.entity.js';

/** Ends deliveries to a partner that is disabled, and the access of its backend. */
export async function pauseDisabled(tx: EntityManager, partnerId: string): Promise<void> {
  await tx.update(EventSubscription, { partnerId }, { disabledAt: () => 'now()' });
}

/** Undoes `pauseDisabled`. A pause for another reason stays. */
export async function resumeEnabled(tx: EntityManager, partnerId: string): Promise<void> {
  await change(tx, partnerId, { disabledAt: null });
}

/** Ends a pause. */
export async function resume(tx: EntityManager, partnerId: string): Promise<void> {
  await change(tx, partnerId, { pausedAt: null, pauseReason: null });
}

async function change(tx: EntityManager, partnerId: string, open: Partial<EventSubscription>): Promise<void> {
  await tx.update(EventSubscription, { partnerId }, open);
  await new EventLog(tx.getRepository(PartnerEvent)).restartClocks(tx, partnerId);
}
