import { BackendKey } from './backend-key.entity.js';
import { EventSubscription } from './event-subscription.entity.js';
import { PartnerEvent } from './partner-event.entity.js';

export const EVENTS_ENTITIES = [BackendKey, EventSubscription, PartnerEvent];
