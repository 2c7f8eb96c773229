import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { brokenConstraint, isDatabaseUnavailable } from './database-errors.js';

const failed = (code: string, more: object = {}) =>
  new QueryFailedError('SELECT 1', [], Object.assign(new Error('failed'), { code, ...more }));

describe('isDatabaseUnavailable', () => {
  it.each([
    ['57P01 shut down', failed('57P01')],
    ['57014 statement timeout', failed('57014')],
    ['53300 too many connections', failed('53300')],
    ['08006 connection failure', failed('08006')],
    ['25006 read only', failed('25006')],
    ['55P03 lock not available', failed('55P03')],
    ['40P01 deadlock', failed('40P01')],
    ['58030 error of the disk', failed('58030')],
    ['28P01 password refused', failed('28P01')],
    ['3D000 no such database', failed('3D000')],
    ['55000 refuses connections', failed('55000')],
    ['26000 a lost prepared statement', failed('26000')],
    ['42P05 a statement that another client has prepared', failed('42P05')],
    ['0A000 a prepared statement with other columns', failed('0A000', { routine: 'RevalidateCachedQuery' })],
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    [
      'a connection refused on every address',
      new AggregateError([Object.assign(new Error('c'), { code: 'ECONNREFUSED' })]),
    ],
    ['a full pool', new Error('timeout exceeded when trying to connect')],
    ['a cut connection', new Error('Connection terminated unexpectedly')],
    ['a connection cut within a transaction', new QueryRunnerAlreadyReleasedError()],
    ['a connection cut within a transaction', new QueryRunnerProviderAlreadyReleasedError()],
    ['a statement without an answer', new Error('Query read timeout')],
  ])('accepts %s as unavailable', (_name, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it.each([
    ['23505 duplicate', failed('23505')],
    ['42P01 no such table', failed('42P01')],
    ['22021 NUL byte', failed('22021')],
    ['0A000 something that PostgreSQL does not do', failed('0A000')],
    ['a defect', new TypeError('x is not a function')],
    ['no error at all', 'text'],
  ])('does not accept %s as unavailable', (_name, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});

describe('brokenConstraint', () => {
  it('names the constraint only of an error that broke one', () => {
    expect(brokenConstraint(failed('23505', { constraint: 'uq_users__phone_index' }))).toBe(
      'uq_users__phone_index',
    );
    expect(brokenConstraint(failed('57014', { constraint: 'x' }))).toBeUndefined();
    expect(brokenConstraint(new Error('x'))).toBeUndefined();
  });
});
