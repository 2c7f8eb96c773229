export {
  EventLog,
  eraseEventsOf,
  type NumberedEvent,
  pauseDisabled,
  resumeEnabled,
} from './outbox/event-log.repository.js';
export type { EventType, NewPartnerEvent } from './outbox/event-types.js';
export { eventsCommand } from './events.command.js';
export { EVENTS_ENTITIES, EventsModule } from './events.module.js';
export { PartnerEvents } from './outbox/partner-events.service.js';
export { EVENTS_USER_DATA } from './user-data.table.js';
