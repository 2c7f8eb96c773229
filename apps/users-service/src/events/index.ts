export { EventLog, eraseEventsOf, type NumberedEvent } from './outbox/event-log.repository.js';
export type { EventType, NewPartnerEvent } from './outbox/event-types.js';
export { eventsCommand } from './events.command.js';
export { EVENTS_ENTITIES } from './events.entities.js';
export { EventsModule } from './events.module.js';
export { PartnerEvents } from './outbox/partner-events.service.js';
export { pauseDisabled, resumeEnabled } from './delivery/pauses.js';
export { EVENTS_USER_DATA } from './user-data.table.js';
