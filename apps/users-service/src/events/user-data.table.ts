import type { UserTable } from '../core/index.js';
import { PartnerEvent } from './outbox/partner-event.entity.js';

export const EVENTS_USER_DATA: readonly UserTable[] = [
  {
    entity: PartnerEvent,
    holds: 'outcomes that the backends of partners are told, of the last 30 days',
    kept: 'the backends get none but the erasure any more; contains only ids and texts of the service; deleted after 30 days',
  },
];
