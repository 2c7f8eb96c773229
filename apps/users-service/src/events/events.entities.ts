import { BackendKey } from './backend/backend-key.entity.js';
import { EventSubscription } from './subscriptions/event-subscription.entity.js';
import { PartnerEvent } from './outbox/partner-event.entity.js';

export const EVENTS_ENTITIES = [BackendKey, EventSubscription, PartnerEvent];
