import { defineErrors } from '../define-errors.js';

/** Events for the backends of partners. */
export const EventErrors = defineErrors({
  keyInvalid: {
    code: 'SVCUSER2921',
    httpStatus: 401,
    token: 'BACKEND_KEY_INVALID',
    text: 'The key of the backend is missing or not valid',
    message: 'Events cannot be read with this key.',
    actor: 'OPERATOR',
    trigger: 'GET /partner/v1/events without a key',
  },
  cursorUnknown: {
    code: 'SVCUSER2922',
    token: 'EVENT_CURSOR_UNKNOWN',
    text: 'after is not the id of an event of the last 30 days',
    message: 'Read the events from the beginning.',
    actor: 'FRONTEND',
    trigger: 'with the key of a backend, GET /partner/v1/events?after=abc',
  },
});
