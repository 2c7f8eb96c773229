import { sqlVerb } from './store-calls.js';

describe('the verb of a statement', () => {
  it.each([
    ['SELECT 1', 'select'],
    ['\n      INSERT INTO onboarding.users VALUES ($1)', 'insert'],
    ['START TRANSACTION', 'start'],
    ['SHOW transaction_read_only', 'other'],
    ["'919876543210'", 'other'],
    ['', 'other'],
    ['update x set y = 1', 'update'],
  ])('of %j is %s', (statement, verb) => expect(sqlVerb(statement)).toBe(verb));
});
