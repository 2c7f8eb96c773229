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
    ['26000 a statement that was not kept', failed('26000')],
    ['42P05 a statement that another client has prepared', failed('42P05')],
    ['0A000 a kept statement with other columns', failed('0A000', { routine: 'RevalidateCachedQuery' })],
    ['refused', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    [
      'refused on every address',
      new AggregateError([Object.assign(new Error('c'), { code: 'ECONNREFUSED' })]),
    ],
    ['pool', new Error('timeout exceeded when trying to connect')],
    ['cut', new Error('Connection terminated unexpectedly')],
    ['cut within a transaction', new QueryRunnerAlreadyReleasedError()],
    ['cut within a transaction', new QueryRunnerProviderAlreadyReleasedError()],
    ['silent', new Error('Query read timeout')],
  ])('%s: yes', (_name, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it.each([
    ['23505 duplicate', failed('23505')],
    ['42P01 no such table', failed('42P01')],
    ['22021 NUL byte', failed('22021')],
    ['0A000 something that PostgreSQL does not do', failed('0A000')],
    ['a defect', new TypeError('x is not a function')],
    ['no error at all', 'text'],
  ])('%s: no', (_name, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});

describe('brokenConstraint', () => {
  it('names the constraint, only when one was broken', () => {
    expect(brokenConstraint(failed('23505', { constraint: 'uq_users__phone_index' }))).toBe(
      'uq_users__phone_index',
    );
    expect(brokenConstraint(failed('57014', { constraint: 'x' }))).toBeUndefined();
    expect(brokenConstraint(new Error('x'))).toBeUndefined();
  });
});
