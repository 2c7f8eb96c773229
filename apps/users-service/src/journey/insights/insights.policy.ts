/** New events that are kept of one user within one day, by the date of UTC. */
export const MAX_EVENTS_PER_DAY = 20_000;

/** For how long events are kept; the table refuses to let them go earlier. */
export const RETENTION_DAYS = 400;
