import { sqlVerb, statementName } from './store-calls.js';

describe('sqlVerb', () => {
  it.each([
    ['SELECT 1', 'select'],
    ['\n      INSERT INTO onboarding.users VALUES ($1)', 'insert'],
    ['BEGIN', 'begin'],
    ['SHOW transaction_read_only', 'other'],
    ["'919876543210'", 'other'],
    ['', 'other'],
    ['update x set y = 1', 'update'],
  ])('reads %j as %s', (statement, verb) => expect(sqlVerb(statement)).toBe(verb));
});

describe('statementName', () => {
  it.each([
    ['SELECT 1 FROM onboarding.sessions s WHERE s.id = $1', 'select sessions'],
    [
      'WITH caller AS (SELECT partner_id FROM onboarding.sessions) INSERT INTO onboarding.consents',
      'with sessions',
    ],
    ['update onboarding.users set phone = $1', 'update users'],
    ["SELECT 'from ' || $1", 'select'],
    ['COMMIT', 'commit'],
  ])('names %j %s', (statement, name) => expect(statementName(statement)).toBe(name));
});
